/** `/p/:label/changes`: the Changes of a Project, the newest first. */
import { money } from "../ui/Amounts.ts"
import { memo, type ReactNode, useEffect, useMemo, useState } from "react"
import { Link, useSearchParams } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { usePages } from "../api/Queries.ts"
import { changeRiskTone } from "../candidate/RiskWords.ts"
import { useProjectHere } from "../project/Here.ts"
import { archived } from "../project/May.ts"
import { withoutName } from "../shell/Place.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { type Filters, filtersIn, inOrder, isFiltering, queryOf } from "./ChangeFilters.ts"
import { ChangesFilter } from "./ChangesFilter.tsx"
import { HowToSend } from "./HowToSend.tsx"
import { useNames } from "./Names.ts"
import { NewChange } from "./NewChange.tsx"
import { titleOf } from "./Next.ts"
import type { Change } from "./Records.ts"
import "./change.css"

const pageSize = 50

/** The server looks through so many for one page, which may be short: pages are asked for until there are so many rows, or so many pages. */
const enough = 20
const pagesMost = 5

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
  { title: "Risk", of: ({ riskTier }) => <Tag tone={changeRiskTone(riskTier)}>{riskTier}</Tag> },
  { title: "Opened by", of: ({ createdBy }) => name(createdBy.id) },
  {
    title: "Spent",
    align: "end",
    of: ({ budget_usd, spent_usd }) => `${money(spent_usd)} of ${money(budget_usd)}`
  },
  { title: "Opened", align: "end", of: ({ createdAt }) => <Time at={createdAt} /> },
  { title: "Moved", align: "end", of: ({ updatedAt }) => <Time at={updatedAt} /> }
]

const useChanges = (projectId: string, filters: Filters) => {
  const query = queryOf(filters)
  return usePages<Change>(
    keys.ofProject(projectId, "changes", "pages", JSON.stringify(query)),
    (cursor, options) =>
      api.changes.list(
        {
          params: { id: projectId },
          query: { limit: pageSize, ...query, ...(cursor === undefined ? {} : { cursor }) }
        },
        options
      ),
    { keeps: keys.ofProject(projectId, "changes", "pages") }
  )
}

/** How far a list is known: there is more of it, all of it is here, or what is here was asked for before. */
type Known = "part" | "all" | "old"

/** How many there are of what is asked for, as far as that is known. */
const foundWords = (found: number, known: Known, isFiltered: boolean): string => {
  if (known === "old") return "Looking…"
  const words = `${found} ${found === 1 ? "Change" : "Changes"}`
  const fits = isFiltered ? (found === 1 ? " fits" : " fit") : ""
  return `${words}${fits}${known === "all" ? "" : " so far"}.`
}

/** Nothing of it is drawn anew while somebody types. */
const Rows = memo(
  ({
    all,
    filters,
    known,
    label,
    projectId
  }: {
    readonly all: ReadonlyArray<Change>
    readonly filters: Filters
    readonly known: Known
    readonly label: string
    readonly projectId: string
  }): ReactNode => {
    const columns = columnsFor(useNames(projectId))
    const isFiltered = isFiltering(filters) || known === "old"
    if (all.length === 0 && !isFiltered)
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
        {/* It has its place from the beginning: what stands below must not move when somebody looks for something. */}
        <p className="muted" {...(isFiltered ? { role: "status" } : {})}>
          {foundWords(all.length, known, isFiltered)}
        </p>
        <Card bare>
          {all.length === 0 ? (
            <Empty icon="search" title="No Change fits">
              <p>{known === "all" ? "None is like that." : "Of those that were looked through, none is like that."}</p>
              <LinkButton to={`/p/${label}/changes`}>Show all</LinkButton>
            </Empty>
          ) : (
            <Table caption="Changes" columns={columns} rows={inOrder(all, filters)} keyOf={({ id }) => id} />
          )}
        </Card>
      </>
    )
  }
)

/** Who opens the dialog waits for it alone, and not for a list that is drawn anew. `?new` in the address opens it too, and `?edit=<path>` with a file. */
const OpenChange = (): ReactNode => {
  const { id, status } = useProjectHere()
  const [search, setSearch] = useSearchParams()
  const [isAsked, setAsked] = useState(false)
  const isNamed = search.has("new") || search.has("edit")
  const isMaking = status !== "archived" && (isAsked || isNamed)
  const close = () => {
    setAsked(false)
    if (isNamed) setSearch((before) => withoutName(withoutName(before, "new"), "edit"), { replace: true })
  }
  return (
    <>
      <Button look="primary" icon="plus" why={status === "archived" ? archived : null} onClick={() => setAsked(true)}>
        New Change
      </Button>
      {isMaking ? <NewChange projectId={id} file={search.get("edit")} onClose={close} /> : null}
    </>
  )
}

/** The Changes. The server keeps those that fit and pages them; where few do, it is asked on. */
export default function ChangesScreen(): ReactNode {
  const { id, label } = useProjectHere()
  const told = JSON.stringify(filtersIn(useSearchParams()[0]))
  const filters = useMemo((): Filters => JSON.parse(told), [told])
  const changes = useChanges(id, filters)
  const { data, fetchNextPage, hasNextPage, isFetching } = changes
  const pages = data?.pages.length ?? 0
  const all = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const known = changes.isPlaceholderData ? "old" : hasNextPage ? "part" : "all"
  const asksOn = isFiltering(filters) && hasNextPage && !isFetching && pages < pagesMost && all.length < enough
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
      <Answered query={changes}>
        {() => <Rows all={all} filters={filters} known={known} label={label} projectId={id} />}
      </Answered>
      {hasNextPage ? (
        <Button busy={changes.isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFiltering(filters) ? "Look further back" : "Show more"}
        </Button>
      ) : null}
    </Screen>
  )
}
