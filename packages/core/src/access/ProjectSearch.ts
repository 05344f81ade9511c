/** Projects that a user may see, by their label, by words, or by what moved last. */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import { type Asked, search, speaking } from "../ledger/Search.ts"
import { History } from "../ledger/History.ts"
import { Records } from "../ledger/Records.ts"
import { generationKey } from "../model/Entities.ts"
import type { Project, ProjectStatus } from "../model/Project.ts"
import { Limits } from "../primitives/Limits.ts"
import type { Timestamp } from "../primitives/Time.ts"
import { roleOf, visibleProjects } from "./Access.ts"

/** What puts a Project first: that something of it moved last, or that it was promoted last. */
export const projectOrders = ["moved", "promoted"] as const
/** One of `projectOrders`. */
export type ProjectOrder = (typeof projectOrders)[number]

/** Which Projects are asked for; what is given must all hold. */
export interface ProjectsAsked extends Asked {
  /** The label of exactly one. */
  readonly label?: string
  /** Words that all stand in its name, its slug or its label, or the beginning of its id. */
  readonly q?: string
  /** In one of these. */
  readonly status?: ProjectStatus | ReadonlyArray<ProjectStatus>
  /** Default: as they were made. */
  readonly order?: ProjectOrder
}

const speaksOf = (q: string) => {
  const speaks = speaking(q)
  return ({ id, label, name, slug }: Project): boolean => speaks([name, slug, label].join(" "), id)
}

/** The Project of a label; null for none, and for one that the user may not see. Labels are kept for good, each for one. */
const ofLabel = Effect.fnUntraced(function* (userId: string, label: string) {
  const reserved = yield* find("label", label)
  const project = reserved === null ? null : yield* find("project", reserved.record.projectId)
  const isSeen = project !== null && (yield* roleOf(userId, project.record)) !== null
  return isSeen ? project.record : null
})

type Times = ReadonlyMap<string, Timestamp>

/** When each of some Projects moved last; those of which nothing moved yet are not among them. */
const movedAt = (ids: ReadonlyArray<string>) =>
  Effect.flatMap(History, (history) =>
    Effect.map(
      history.ends(ids),
      (ends): Times => new Map(ends.flatMap(({ at, projectId }) => (at === null ? [] : [[projectId, at] as const])))
    )
  )

/** When the newest generation of each became canonical; those that have none are not among them. */
const promotedAt = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const records = yield* Records
  const heads = yield* records.many("head", ids)
  const keys = Array.from(heads.values(), ({ record }) => generationKey(record.projectId, record.generation))
  const newest = yield* records.many("generation", keys)
  const times: Times = new Map(Array.from(newest.values(), ({ record }) => [record.projectId, record.promotedAt]))
  return times
})

/** The first of those that fit, in an order that no index has: all of at most `Limits.searchedRecords` are looked at. */
const ordered = Effect.fnUntraced(function* (
  userId: string,
  fits: (project: Project) => boolean,
  { limit = Limits.pageSize, order }: { readonly limit?: number; readonly order: ProjectOrder }
) {
  const seen: Array<Project> = []
  let cursor: string | null = null
  do {
    const page: Effect.Success<ReturnType<typeof visibleProjects>> = yield* visibleProjects(
      userId,
      cursor === null ? {} : { cursor }
    )
    seen.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null && seen.length < Limits.searchedRecords)
  const asked = seen.filter(fits)
  const ids = asked.map(({ id }) => id)
  const times = yield* order === "moved" ? movedAt(ids) : promotedAt(ids)
  const atOf = ({ createdAt, id }: Project) => times.get(id) ?? (order === "moved" ? createdAt : null)
  const found = asked.flatMap((project) => {
    const at = atOf(project)
    return at === null ? [] : [{ at, project }]
  })
  const sorted = found.toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
  return { items: sorted.slice(0, limit).map(({ project }) => project), nextCursor: null }
})

/**
 * A page of the Projects that a user may see and asks for. By words and by status they are looked through, as `search` says;
 * in an order of its own there is one page.
 */
export const projectsOf = Effect.fnUntraced(function* (
  userId: string,
  { label, order, q, status, ...asked }: ProjectsAsked
) {
  const hasWords = q === undefined ? () => true : speaksOf(q)
  const statuses = typeof status === "string" ? [status] : status
  const speaks = (project: Project) => statuses?.includes(project.status) !== false && hasWords(project)
  if (label !== undefined) {
    const project = yield* ofLabel(userId, label)
    return { items: project !== null && speaks(project) ? [project] : [], nextCursor: null }
  }
  if (order !== undefined)
    return yield* ordered(userId, speaks, { order, ...(asked.limit === undefined ? {} : { limit: asked.limit }) })
  if (q !== undefined || status !== undefined)
    return yield* search((page) => visibleProjects(userId, page), speaks, asked)
  const { items, nextCursor } = yield* visibleProjects(userId, asked)
  return { items, nextCursor }
})
