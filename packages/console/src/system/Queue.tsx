/** Durable work that waits or is done, and what is left of the day: for those who own the installation. */
import type { ReactNode } from "react"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Facts } from "../ui/Facts.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { type System, useSystem } from "./SystemQuery.ts"

/** How much of one kind of work there is. */
export interface Queued {
  readonly kind: string
  readonly ready: number
  readonly leased: number
  readonly waiting: number
  readonly dead: number
}

/** By kind, in the order of the alphabet. */
export const byKind = (queue: System["queue"]): ReadonlyArray<Queued> => {
  const kinds = new Map<string, Queued>()
  for (const { count, kind, state } of queue)
    kinds.set(kind, { ...(kinds.get(kind) ?? { kind, ready: 0, leased: 0, waiting: 0, dead: 0 }), [state]: count })
  return [...kinds.values()].toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
}

const columns: ReadonlyArray<Column<Queued>> = [
  { title: "Work", isMain: true, of: ({ kind }) => <code>{kind}</code> },
  { title: "Waits for a worker", align: "end", of: ({ ready }) => ready },
  { title: "Under way", align: "end", of: ({ leased }) => leased },
  { title: "Due later", align: "end", of: ({ waiting }) => waiting },
  { title: "Gave up", align: "end", of: ({ dead }) => dead }
]

/** Nothing for those who may not see them. */
export const Queue = (): ReactNode => {
  const query = useSystem()
  if (query === null) return null
  return (
    <Card bare title="Queue">
      <Answered query={query} lines={3}>
        {({ queue }) =>
          queue.length === 0 ? (
            <Empty icon="check" title="Nothing is queued">
              <p>Work that nobody does yet, and work that is under way, is counted here.</p>
            </Empty>
          ) : (
            <Table caption="Durable work by kind" columns={columns} rows={byKind(queue)} keyOf={({ kind }) => kind} />
          )
        }
      </Answered>
    </Card>
  )
}

const left = (used: number, cap: number): string => `${Math.max(0, cap - used)} of ${cap}`

/** What all Projects together may still use today. Nothing for those who may not see it. */
export const LeftToday = (): ReactNode => {
  const query = useSystem()
  if (query === null) return null
  return (
    <Card title="Left today">
      <Answered query={query} lines={2}>
        {({ usage }) => (
          <Facts
            of={{
              Builds: left(usage.buildsToday, usage.buildsCap),
              "Calls of models": left(usage.modelCallsToday, usage.modelCallsCap)
            }}
          />
        )}
      </Answered>
    </Card>
  )
}
