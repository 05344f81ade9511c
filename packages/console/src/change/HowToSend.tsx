/** How work comes into a Change: each way beside the others. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { Card } from "../ui/Card.tsx"
import { Code } from "../ui/Code.tsx"
import { waysToSend } from "./WaysToSend.ts"

/** Without a Change the ways open one too. */
export const HowToSend = (of: {
  readonly label: string
  readonly project: string
  readonly change: string | null
}): ReactNode => (
  <Card title="How to send a ChangeSet">
    <p className="ways-token">
      An assistant, git and curl need a token with the scopes read and write. <Link href="/settings">Make a token</Link>{" "}
      on your Account page; it is shown once.
    </p>
    <div className="ways">
      {waysToSend({ ...of, origin: location.origin }).map(({ lines, title, words }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <p>{words}</p>
          {lines === null ? null : <Code label={`${title}, as text`}>{lines}</Code>}
        </section>
      ))}
    </div>
  </Card>
)
