/** What the doctor finds on the server's machine: for those who own the installation. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { isForOthers } from "./SystemQuery.ts"

type Finding = Answer<"system", "findings">["items"][number]

const looks: Readonly<Record<Finding["state"], readonly [status: string, words: string]>> = {
  ok: ["active", "Good"],
  weak: ["blocked", "Weak"],
  missing: ["failed", "Missing"]
}

const columns: ReadonlyArray<Column<Finding>> = [
  { title: "Part", isMain: true, of: ({ part }) => part },
  {
    title: "Is",
    of: ({ state }) => {
      const [status, words] = looks[state]
      return <Status of={status} words={words} />
    }
  },
  {
    title: "Found",
    of: ({ found, remedy, state }) => (
      <div className="found">
        <span>{found}</span>
        {remedy === null || state === "ok" ? null : (
          <small>
            Mend it with: <code>{remedy}</code>
          </small>
        )}
      </div>
    )
  }
]

/** Nothing for those who may not see them. */
export const Findings = (): ReactNode => {
  const query = useAnswer(["system", "findings"], async (options) => (await api.system.findings({}, options)).items)
  if (isForOthers(query)) return null
  return (
    <Card bare title="Doctor">
      <Answered query={query} lines={8}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="check" title="There is no machine to look at">
              <p>This installation runs on a platform that has its own.</p>
            </Empty>
          ) : (
            <Table
              caption="What the doctor finds"
              columns={columns}
              rows={rows}
              keyOf={({ part, found }) => `${part} ${found}`}
            />
          )
        }
      </Answered>
    </Card>
  )
}
