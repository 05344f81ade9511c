/** `/p/<label>/generations`: the canonical line, the newest first. Only what is looked at is asked for and drawn. */
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react"
import { WindowVirtualizer, type WindowVirtualizerHandle } from "virtua"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { CompareForm } from "./CompareForm.tsx"
import { focusWhenDrawn } from "./FocusWhenDrawn.ts"
import { useApp, useProjectOf } from "../project/ProjectQueries.ts"
import { GenerationRow } from "./GenerationRow.tsx"
import { JumpForm } from "./JumpForm.tsx"
import { rowOf } from "./Window.ts"
import "./generation.css"

/** About as tall as a row, in px, before it is measured. */
const rowHeight = 64

const None = (): ReactNode => {
  const { label } = useProjectHere()
  return (
    <Card bare>
      <Empty icon="box" title="There are no generations yet">
        <p>The first source of the Project becomes S0. Each promotion after it is one more.</p>
        <LinkButton to={`/p/${label}`} look="primary">
          Give it a source
        </LinkButton>
      </Empty>
    </Card>
  )
}

const Line = ({ head }: { readonly head: number }): ReactNode => {
  const { id } = useProjectHere()
  const { data } = useApp(id)
  const rows = useRef<WindowVirtualizerHandle>(null)
  // The head may move on while one looks at a row: that is no jump.
  const headNow = useRef(head)
  headNow.current = head
  const [asked, setAsked] = useState<{ readonly n: number } | null>(null)
  const numbers = useMemo(() => Array.from({ length: head + 1 }, (_, row) => head - row), [head])
  const live = data?.app?.status === "removed" ? null : (data?.app?.generation ?? null)
  useEffect(() => {
    if (asked === null) return undefined
    rows.current?.scrollToIndex(rowOf(headNow.current, asked.n), { align: "center" })
    return focusWhenDrawn(`[data-generation="${asked.n}"] [data-row]`)
  }, [asked])
  return (
    <>
      <div className="generation-tools">
        <JumpForm head={head} jump={(n) => setAsked({ n })} />
        <CompareForm head={head} />
      </div>
      {head === 0 ? <p className="generation-only">There is only S0. What is promoted stands above it.</p> : null}
      <section className="card" aria-label="Generations">
        <WindowVirtualizer ref={rows} itemSize={rowHeight} data={numbers}>
          {(n) => <GenerationRow key={n} n={n} head={head} live={live} />}
        </WindowVirtualizer>
      </section>
    </>
  )
}

/** The line. A number leads to its row; two numbers to what is between them. */
export default function GenerationsScreen(): ReactNode {
  const { id } = useProjectHere()
  const project = useProjectOf(id)
  return (
    <Screen title="Generations" lead="What has been canonical, the newest first. The line only ever grows.">
      <Answered query={project}>
        {({ canonical }) => (canonical === null ? <None /> : <Line head={canonical.generation} />)}
      </Answered>
    </Screen>
  )
}
