/** Projects that a user may see, by their label, by words, or by what moved last. */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import { type Asked, search, speaking } from "../ledger/Search.ts"
import { History } from "../ledger/History.ts"
import { Records } from "../ledger/Records.ts"
import type { ProjectOrder, RecencyListing } from "../ledger/Recency.ts"
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

/** A page of them in an order that the store knows. By words they are looked through, as `search` says. */
const ordered = Effect.fnUntraced(function* (
  userId: string,
  how: Pick<RecencyListing, "order" | "statuses">,
  speaks: ((project: Project) => boolean) | null,
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
  if (speaks !== null) return yield* search(page, speaks, asked)
  const { items, nextCursor } = yield* page(asked)
  return { items, nextCursor }
})

/**
 * A page of the Projects that a user may see and asks for. By words they are looked through, as `search` says, and by status
 * too where they are not asked for in an order.
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
  if (order !== undefined) {
    const how = { order, ...(statuses === undefined ? {} : { statuses }) }
    return yield* ordered(userId, how, q === undefined ? null : hasWords, asked)
  }
  if (q !== undefined || status !== undefined)
    return yield* search((page) => visibleProjects(userId, page), speaks, asked)
  const { items, nextCursor } = yield* visibleProjects(userId, asked)
  return { items, nextCursor }
})
