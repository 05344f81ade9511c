/** `/p/:label/changes`: the Changes of a Project, the newest first. */
import { money } from "../ui/Amounts.ts"
import { type ReactNode, useEffect, useState } from "react"
import { Link, useSearchParams } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { usePages } from "../api/Queries.ts"
import { riskTone } from "../candidate/RiskWords.ts"
import { useProjectHere } from "../project/Here.ts"
import { archived } from "../project/May.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { filtered, filtersIn, isFiltering } from "./ChangeFilters.ts"
import { ChangesFilter } from "./ChangesFilter.tsx"
import { HowToSend } from "./HowToSend.tsx"
import { useNames } from "./Names.ts"
import { NewChange } from "./NewChange.tsx"
import { titleOf } from "./Next.ts"
import type { Change } from "./Records.ts"
import "./change.css"

const pageSize = 50

/** While a filter is set, pages are asked for until so many Changes fit, or so many were looked through. */
const enough = 20
const looked = 500

const columnsFor = (name: (id: string) => string): ReadonlyArray<Column<Change>> => [
  {
    title: "Change",
    isMain: true,
    of: ({ goal, id, kind }) => (
      <span className="change-name">
        <Link href={`/changes/${id}`} data-row>
          {titleOf(goal)}
        </Link>
        {kind === "rollback" ? <Tag>rollback</Tag> : null}
      </span>
    )
  },
  { title: "Status", of: ({ status }) => <Status of={status} /> },
  { title: "Risk", of: ({ riskTier }) => <Tag tone={riskTone(riskTier)}>{riskTier}</Tag> },
  { title: "Opened by", of: ({ createdBy }) => name(createdBy.id) },
  {
    title: "Spent",
    align: "end",
    of: ({ budget_usd, spent_usd }) => `${money(spent_usd)} of ${money(budget_usd)}`
  },
  { title: "Opened", align: "end", of: ({ createdAt }) => <Time at={createdAt} /> },
  { title: "Moved", align: "end", of: ({ updatedAt }) => <Time at={updatedAt} /> }
]

const useChanges = (projectId: string) =>
  usePages<Change>(keys.ofProject(projectId, "changes", "pages"), (cursor, options) =>
    api.changes.list(
      { params: { id: projectId }, query: { limit: pageSize, ...(cursor === undefined ? {} : { cursor }) } },
      options
    )
  )

const Rows = ({
  all,
  label,
  projectId
}: {
  readonly all: ReadonlyArray<Change>
  readonly label: string
  readonly projectId: string
}) => {
  const filters = filtersIn(useSearchParams()[0])
  const columns = columnsFor(useNames(projectId))
  const rows = filtered(all, filters)
  if (all.length === 0)
    return (
      <>
        <Card bare>
          <Empty icon="dot" title="There are no Changes yet">
            <p>A Change is a goal. Open one with New Change, and send a ChangeSet that works towards it.</p>
          </Empty>
        </Card>
        <HowToSend label={label} project={projectId} change={null} />
      </>
    )
  return (
    <>
      {isFiltering(filters) ? (
        <p className="muted" role="status">
          {rows.length} of the {all.length} newest Changes fit.
        </p>
      ) : null}
      <Card bare>
        {rows.length === 0 ? (
          <Empty icon="search" title="No Change fits">
            <p>Of those that were looked through, none is like that.</p>
            <LinkButton to={`/p/${label}/changes`}>Show all</LinkButton>
          </Empty>
        ) : (
          <Table caption="Changes" columns={columns} rows={rows} keyOf={({ id }) => id} />
        )}
      </Card>
    </>
  )
}

/** Who opens the dialog waits for it alone, and not for a list that is drawn anew. */
const OpenChange = (): ReactNode => {
  const { id, status } = useProjectHere()
  const [isMaking, setMaking] = useState(false)
  return (
    <>
      <Button look="primary" icon="plus" why={status === "archived" ? archived : null} onClick={() => setMaking(true)}>
        New Change
      </Button>
      {isMaking ? <NewChange projectId={id} onClose={() => setMaking(false)} /> : null}
    </>
  )
}

/** The Changes. The server pages them; filters look through the pages that were asked for, and ask for more. */
export default function ChangesScreen(): ReactNode {
  const { id, label } = useProjectHere()
  const filters = filtersIn(useSearchParams()[0])
  const changes = useChanges(id)
  const { data, fetchNextPage, hasNextPage, isFetching } = changes
  const all = data?.pages.flatMap(({ items }) => items) ?? []
  const asksOn =
    isFiltering(filters) && hasNextPage && !isFetching && all.length < looked && filtered(all, filters).length < enough
  useEffect(() => {
    if (asksOn) void fetchNextPage()
  }, [asksOn, fetchNextPage])
  return (
    <Screen
      title="Changes"
      lead="Each is a goal for this Project, from its opening to its end."
      actions={<OpenChange />}
    >
      {all.length === 0 && !isFiltering(filters) ? null : <ChangesFilter />}
      <Answered query={changes}>{() => <Rows all={all} label={label} projectId={id} />}</Answered>
      {hasNextPage ? (
        <Button busy={changes.isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFiltering(filters) ? "Look further back" : "Show more"}
        </Button>
      ) : null}
    </Screen>
  )
}
