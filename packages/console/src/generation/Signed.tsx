/** What was signed of a generation: the statement of its promotion, and its verification summary (VSA). */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { asRefusal } from "../api/Refusal.ts"
import { useProjectHere } from "../project/Here.ts"
import { Card } from "../ui/Card.tsx"
import { Code } from "../ui/Code.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { type Told, toldBy } from "./Envelope.ts"

const Envelope = ({ name, of }: { readonly name: string; readonly of: Told }): ReactNode => (
  <div className="signed">
    <div>
      <strong>{name}</strong>, signed by{" "}
      {of.keyIds.map((id) => (
        <code key={id} className="key-id">
          {id}
        </code>
      ))}
    </div>
    <details>
      <summary>What it says</summary>
      <Code label={name}>{of.text}</Code>
    </details>
  </div>
)

const Part = ({
  ask,
  n,
  name
}: {
  readonly n: number
  readonly name: string
  readonly ask: "statement" | "vsa"
}): ReactNode => {
  const { id } = useProjectHere()
  const request = { params: { id, n: String(n) }, query: {} }
  const { data, error } = useAnswer(keys.ofProject(id, ask, String(n)), async (options) =>
    toldBy(
      await (ask === "statement" ? api.statements.statement(request, options) : api.projects.vsa(request, options))
    )
  )
  if (error !== null)
    return (
      <p className="signed">
        <strong>{name}</strong>: {asRefusal(error).detail}
      </p>
    )
  if (data === undefined) return <Skeleton lines={1} />
  return data === null ? (
    <p className="signed">{name}: it has no form that this console knows.</p>
  ) : (
    <Envelope name={name} of={data} />
  )
}

/** Each is told by its keys; what is not signed yet, or not kept, by the server's words. */
export const Signed = ({ n }: { readonly n: number }): ReactNode => (
  <Card title="Signed">
    <Part n={n} ask="statement" name="Statement of the promotion" />
    <Part n={n} ask="vsa" name="Verification summary (VSA)" />
  </Card>
)
