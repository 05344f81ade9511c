/** Projects that a user may see, by their label, by words, or by what moved last. */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import { type Asked, search } from "../ledger/Search.ts"
import { History } from "../ledger/History.ts"
import { Records } from "../ledger/Records.ts"
import { type ProjectOrder, projectSpeaking, type RecencyListing } from "../ledger/Recency.ts"
import type { Project, ProjectStatus } from "../model/Project.ts"
import { roleOf, sightOf, visibleProjects } from "./Access.ts"

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

/** The Project of a label; null for none, and for one that the user may not see. Labels are kept for good, each for one. */
const ofLabel = Effect.fnUntraced(function* (userId: string, label: string) {
  const reserved = yield* find("label", label)
  const project = reserved === null ? null : yield* find("project", reserved.record.projectId)
  const isSeen = project !== null && (yield* roleOf(userId, project.record)) !== null
  return isSeen ? project.record : null
})

/** A page of them in an order that the store knows. It knows words too, and what it tells is looked at once more. */
const ordered = Effect.fnUntraced(function* (
  userId: string,
  how: Pick<RecencyListing, "order" | "statuses" | "q">,
  asked: Asked
) {
  const { recent } = yield* History
  const records = yield* Records
  const of = yield* sightOf(userId)
  const page = Effect.fnUntraced(function* (part: Asked) {
    const { cursors, items, nextCursor } = yield* recent({ ...how, ...part, of })
    const found = yield* records.many("project", items)
    // One that is gone by now is left out, with its cursor.
    const kept = items.flatMap((id, index) => {
      const record = found.get(id)?.record
      return record === undefined ? [] : [{ record, cursor: cursors[index] ?? "" }]
    })
    return { items: kept.map(({ record }) => record), cursors: kept.map(({ cursor }) => cursor), nextCursor }
  })
  if (how.q !== undefined) return yield* search(page, projectSpeaking(how.q), asked)
  const { items, nextCursor } = yield* page(asked)
  return { items, nextCursor }
})

/**
 * A page of the Projects that a user may see and asks for. By words and by status they are looked through, as `search` says,
 * where they are not asked for in an order.
 */
export const projectsOf = Effect.fnUntraced(function* (
  userId: string,
  { label, order, q, status, ...asked }: ProjectsAsked
) {
  const hasWords = q === undefined ? () => true : projectSpeaking(q)
  const statuses = typeof status === "string" ? [status] : status
  const speaks = (project: Project) => statuses?.includes(project.status) !== false && hasWords(project)
  if (label !== undefined) {
    const project = yield* ofLabel(userId, label)
    return { items: project !== null && speaks(project) ? [project] : [], nextCursor: null }
  }
  if (order !== undefined) {
    const how = { order, ...(statuses === undefined ? {} : { statuses }), ...(q === undefined ? {} : { q }) }
    return yield* ordered(userId, how, asked)
  }
  if (q !== undefined || status !== undefined)
    return yield* search((page) => visibleProjects(userId, page), speaks, asked)
  const { items, nextCursor } = yield* visibleProjects(userId, asked)
  return { items, nextCursor }
})
