/** Scenes of rollbacks: a line of generations that are live, and a rollback asked for on it. */
import { Effect } from "effect"
import { EventLog } from "@pawl/core/event/EventLog"
import { demand } from "@pawl/core/ledger/Decision"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { person, settle } from "./MemoryPawl.ts"
import { candidateOf, newProject } from "./Scenes.ts"

export const live = (projectId: string, name: string, edits: Record<string, string>) =>
  Effect.gen(function* () {
    const candidate = yield* candidateOf(projectId, name, edits)
    yield* Promotions.promote(person, candidate.id)
    yield* settle
    return candidate
  })

/** S0, then two Changes live as S1 and S2. */
export const twoLive = Effect.gen(function* () {
  const project = yield* newProject()
  yield* live(project.id, "one", { "a.txt": "one" })
  yield* live(project.id, "two", { "a.txt": "two", "b.txt": "two" })
  return project
})

export const ask = (projectId: string, targetGeneration: number, expectedGeneration: number) =>
  Rollbacks.request(person, { projectId, targetGeneration, expectedGeneration })

export const generation = (projectId: string, number: number) =>
  Effect.map(demand("generation", `${projectId}/${number}`), (stored) => stored.record)

export const candidate = (id: string) => Effect.map(demand("candidate", id), (stored) => stored.record)

export const change = (id: string) => Effect.map(demand("change", id), (stored) => stored.record)

/** The types of the events about these, in order. */
export const eventsOf = (projectId: string, ...subjects: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).read(projectId, 0, 1000)
    return events.filter((event) => subjects.includes(event.subject)).map((event) => event.type)
  })
