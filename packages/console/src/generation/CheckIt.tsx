/** Lines with which anybody checks what this page says, without believing it. */
import type { ReactNode } from "react"
import { useProjectHere } from "../project/Here.ts"
import { Card } from "../ui/Card.tsx"
import { Code } from "../ui/Code.tsx"
import { linesFor } from "./CheckLines.ts"
import type { Version } from "./GenerationQueries.ts"

const titles = {
  git: "By git: the commit has this tree",
  curl: "The statement as it was signed",
  verify: "By signatures"
}

/** `PAWL_TOKEN` is a token with the scope `read`: none stands on the page. */
export const CheckIt = ({ version }: { readonly version: Version }): ReactNode => {
  const { id } = useProjectHere()
  const lines = linesFor(location.origin, id, version)
  return (
    <Card title="Check it yourself">
      <div className="check-it">
        <p>
          With a token that may read in <code>PAWL_TOKEN</code>. What git prints last is the tree above.
        </p>
        {Object.entries(titles).map(([name, title]) => (
          <div key={name}>
            <h3>{title}</h3>
            <Code label={title}>{lines[name as keyof typeof titles]}</Code>
          </div>
        ))}
      </div>
    </Card>
  )
}
