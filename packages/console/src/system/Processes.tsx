/** The server processes that share the database: for those who own the installation. */
import type { ReactNode } from "react"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Id } from "../ui/Id.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { type System, useSystem } from "./SystemQuery.ts"

type Process = System["processes"][number]

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
  const query = useSystem()
  if (query === null) return null
  return (
    <Card bare title="Processes">
      <Answered query={query} lines={2}>
        {({ processes }) => <Table caption="Processes" columns={columns} rows={processes} keyOf={({ id }) => id} />}
      </Answered>
    </Card>
  )
}
