/** Projects that a user may see, by their label, or by words. */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import { type Asked, search, speaking } from "../ledger/Search.ts"
import type { Project } from "../model/Project.ts"
import { roleOf, visibleProjects } from "./Access.ts"

/** Which Projects are asked for; what is given must all hold. */
export interface ProjectsAsked extends Asked {
  /** The label of exactly one. */
  readonly label?: string
  /** Words that all stand in its name, its slug or its label, or the beginning of its id. */
  readonly q?: string
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

/** A page of the Projects that a user may see and asks for. By words they are looked through, as `search` says. */
export const projectsOf = Effect.fnUntraced(function* (userId: string, { label, q, ...asked }: ProjectsAsked) {
  const speaks = q === undefined ? () => true : speaksOf(q)
  if (label !== undefined) {
    const project = yield* ofLabel(userId, label)
    return { items: project !== null && speaks(project) ? [project] : [], nextCursor: null }
  }
  if (q !== undefined) return yield* search((page) => visibleProjects(userId, page), speaks, asked)
  const { items, nextCursor } = yield* visibleProjects(userId, asked)
  return { items, nextCursor }
})
