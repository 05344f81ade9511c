/** The server processes that share the database: for those who own the installation. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { asRefusal } from "../api/Refusal.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Id } from "../ui/Id.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"

type Process = Answer<"system", "get">["processes"][number]

const columns: ReadonlyArray<Column<Process>> = [
  { title: "Process", isMain: true, of: ({ id }) => <Id id={id} label="process" /> },
  { title: "Does", of: ({ roles }) => roles.join(", ") },
  { title: "Version", of: ({ version }) => version },
  {
    title: "Is",
    of: ({ isSilent }) => (
      <Status of={isSilent ? "failed" : "active"} words={isSilent ? "Silent: it may be gone" : "There"} />
    )
  },
  { title: "Since", align: "end", of: ({ startedAt }) => <Time at={startedAt} /> },
  { title: "Last heard", align: "end", of: ({ seenAt }) => <Time at={seenAt} /> }
]

/** Nothing for those who may not see them. */
export const Processes = (): ReactNode => {
  const query = useAnswer(["system"], (options) => api.system.get({}, options))
  if (query.error !== null && asRefusal(query.error).code === "insufficient_role") return null
  return (
    <Card bare title="Processes">
      <Answered query={query} lines={2}>
        {({ processes }) => <Table caption="Processes" columns={columns} rows={processes} keyOf={({ id }) => id} />}
      </Answered>
    </Card>
  )
}
