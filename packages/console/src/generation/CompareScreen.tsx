/** `/p/<label>/generations/compare?from=3&to=7`: what is between two generations. */
import type { ReactNode } from "react"
import { useSearchParams } from "wouter"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { CompareForm } from "./CompareForm.tsx"
import { FileList } from "./FileList.tsx"
import { useComparison } from "./GenerationQueries.ts"
import { useProjectOf } from "../project/ProjectQueries.ts"
import { generationIn } from "./Window.ts"
import "./generation.css"

const Comparison = ({ from, to }: { readonly from: number; readonly to: number }): ReactNode => {
  const { id } = useProjectHere()
  const comparison = useComparison(id, from, to)
  return (
    <Answered query={comparison}>
      {({ files }) => (
        <Card title={`${files.length} ${files.length === 1 ? "file differs" : "files differ"}`} bare>
          <FileList files={files} />
        </Card>
      )}
    </Answered>
  )
}

/** Numbers that are left out are those of the head and the generation before it. */
export default function CompareScreen(): ReactNode {
  const { id, label } = useProjectHere()
  const [asked] = useSearchParams()
  const project = useProjectOf(id)
  const head = project.data?.canonical?.generation
  const number = (name: string, otherwise: number) => generationIn(asked.get(name) ?? "", head ?? 0) ?? otherwise
  const to = number("to", head ?? 0)
  const from = number("from", Math.max(0, to - 1))
  return (
    <Screen
      title={head === undefined ? "Compare" : `S${from} and S${to}`}
      lead="What changes from the first to the second."
      actions={<LinkButton to={`/p/${label}/generations`}>All generations</LinkButton>}
    >
      <Answered query={project}>
        {({ canonical }) =>
          canonical === null ? (
            <p>This Project has no source yet.</p>
          ) : (
            <>
              <div className="generation-tools">
                <CompareForm key={`${from} ${to}`} head={canonical.generation} from={from} to={to} />
              </div>
              <Comparison from={from} to={to} />
            </>
          )
        }
      </Answered>
    </Screen>
  )
}
