/** What the Projects that I see have used. The API tells it of each. */
import { bytes, duration, money } from "../ui/Amounts.ts"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import type { Project } from "../project/ByLabel.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { type Column, Table } from "../ui/Table.tsx"

/** Each is one request, so only those that moved last. */
const asked = 10

interface Used {
  readonly project: Project
  readonly usage: Answer<"projects", "usage">
}

const columns: ReadonlyArray<Column<Used>> = [
  {
    title: "Project",
    isMain: true,
    of: ({ project: { label, name } }) => (
      <Link href={`/p/${label}`} data-row>
        {name}
      </Link>
    )
  },
  { title: "Builds today", align: "end", of: ({ usage }) => usage.buildsToday },
  {
    title: "Calls of models today",
    align: "end",
    of: ({ usage: { modelCallsCap, modelCallsToday } }) => `${modelCallsToday} (all together: ${modelCallsCap})`
  },
  { title: "Spent", align: "end", of: ({ usage }) => money(usage.spent_usd) },
  { title: "Checks this month", align: "end", of: ({ usage }) => duration(usage.sandboxMsThisMonth) },
  { title: "Bundles", align: "end", of: ({ usage }) => bytes(usage.bundleBytes) }
]

/** Of the Projects that moved last. */
export const UseToday = (): ReactNode => {
  const query = useAnswer(["usage"], async (options): Promise<ReadonlyArray<Used>> => {
    const query = { order: "moved", status: "active", limit: asked } as const
    const { items } = await api.projects.list({ query }, options)
    return Promise.all(
      items.map(async (project) => ({
        project,
        usage: await api.projects.usage({ params: { id: project.id } }, options)
      }))
    )
  })
  return (
    <Card bare title={`Used by the ${asked} Projects that moved last`}>
      <Answered query={query} lines={3}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="box" title="There are no Projects yet">
              <p>What they use will be told here.</p>
            </Empty>
          ) : (
            <Table caption="What Projects used" columns={columns} rows={rows} keyOf={({ project }) => project.id} />
          )
        }
      </Answered>
    </Card>
  )
}
