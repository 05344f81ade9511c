/** Lists of Projects, with what they are asked to include: few questions for a page, however many are on it. */
import { projectsOf } from "@pawl/core/access/ProjectSearch"
import { isClosed } from "@pawl/core/change/Changes"
import { Records } from "@pawl/core/ledger/Records"
import { changeStatuses } from "@pawl/core/model/Change"
import { pointerKey } from "@pawl/core/model/Entities"
import type { Head } from "@pawl/core/model/Generation"
import { openStatuses as waiting } from "@pawl/core/model/LaneEntry"
import { Effect } from "effect"
import type { ProjectPart, ProjectsParams } from "../../api/groups/ProjectsApi.ts"
import { servedAnswer } from "./AppAnswers.ts"

/** The head of a canonical line as it is answered; null for none. */
export const canonicalOf = (head: Head | undefined): Pick<Head, "generation" | "commit" | "tree"> | null =>
  head === undefined ? null : { generation: head.generation, commit: head.commit, tree: head.tree }

const openStatuses = changeStatuses.filter((status) => !isClosed(status))

/** What is told of each Project of a page, by what was asked for: each is a question or two for all of them. */
const parts = {
  head: Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const heads = yield* (yield* Records).many("head", ids)
    return (id: string) => ({ head: canonicalOf(heads.get(id)?.record) })
  }),
  app: Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const keyOf = (id: string) => pointerKey(id, "production")
    const pointers = yield* (yield* Records).many("pointer", ids.map(keyOf))
    const served = yield* Effect.forEach(pointers, ([key, { record }]) =>
      Effect.map(servedAnswer(record), (app) => [key, app] as const)
    )
    const apps = new Map(served)
    return (id: string) => ({ app: apps.get(keyOf(id)) ?? null })
  }),
  counts: Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const records = yield* Records
    const changes = yield* records.counts("change", ids, { status: openStatuses })
    const entries = yield* records.counts("laneEntry", ids, { status: waiting })
    return (id: string) => ({ counts: { openChanges: changes.get(id) ?? 0, laneEntries: entries.get(id) ?? 0 } })
  })
}

/** A page of the Projects that a user may see, as they were asked for. */
export const pageOfProjects = Effect.fnUntraced(function* (userId: string, { include, ...asked }: ProjectsParams) {
  const { items, nextCursor } = yield* projectsOf(userId, asked)
  if (include === undefined) return { items, nextCursor }
  const names = new Set(include.split(",") as ReadonlyArray<ProjectPart>)
  const ids = items.map(({ id }) => id)
  const told = {
    head: names.has("head") ? yield* parts.head(ids) : () => ({}),
    app: names.has("app") ? yield* parts.app(ids) : () => ({}),
    counts: names.has("counts") ? yield* parts.counts(ids) : () => ({})
  }
  return {
    items: items.map((project) => ({
      ...project,
      ...told.head(project.id),
      ...told.app(project.id),
      ...told.counts(project.id)
    })),
    nextCursor
  }
})
