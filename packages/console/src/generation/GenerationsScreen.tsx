/** `/p/<label>/generations`: the canonical line, the newest first. Only what is looked at is asked for and drawn. */
import { type ReactNode, useMemo, useRef, useState } from "react"
import { WindowVirtualizer, type WindowVirtualizerHandle } from "virtua"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { CompareForm } from "./CompareForm.tsx"
import { useApp, useHead } from "./GenerationQueries.ts"
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
  const [asked, setAsked] = useState<number | null>(null)
  const numbers = useMemo(() => Array.from({ length: head + 1 }, (_, row) => head - row), [head])
  const live = data?.app?.status === "removed" ? null : (data?.app?.generation ?? null)
  const jump = (generation: number) => {
    setAsked(generation)
    rows.current?.scrollToIndex(rowOf(head, generation), { align: "center" })
  }
  // Its row is drawn once it is scrolled to; then the focus goes there.
  const focus = (row: HTMLElement | null) => {
    if (row === null || asked === null) return
    row.querySelector<HTMLElement>("[data-row]")?.focus({ preventScroll: true })
    setAsked(null)
  }
  return (
    <>
      <div className="generation-tools">
        <JumpForm head={head} jump={jump} />
        <CompareForm head={head} />
      </div>
      {head === 0 ? <p className="generation-only">There is only S0. What is promoted stands above it.</p> : null}
      <section className="card" aria-label="Generations">
        <WindowVirtualizer ref={rows} itemSize={rowHeight} data={numbers}>
          {(n) => (
            <div key={n} ref={n === asked ? focus : undefined} className="generation-slot">
              <GenerationRow n={n} head={head} live={live} />
            </div>
          )}
        </WindowVirtualizer>
      </section>
    </>
  )
}

/** The line. A number leads to its row; two numbers to what is between them. */
export default function GenerationsScreen(): ReactNode {
  const { id } = useProjectHere()
  const project = useHead(id)
  return (
    <Screen title="Generations" lead="What has been canonical, the newest first. The line only ever grows.">
      <Answered query={project}>
        {({ canonical }) => (canonical === null ? <None /> : <Line head={canonical.generation} />)}
      </Answered>
    </Screen>
  )
}
