import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import type { Commit } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { demand } from "@pawl/core/ledger/Decision"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"

/** Runs it; answers every commit that was made. */
const commitsOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const made: Array<Commit> = []
    const noting: Around = ({ args }, effect) => {
      made.push(args[0] as Commit)
      return effect
    }
    yield* Effect.provideService(work, Ledger, wrap(Ledger, yield* Ledger, noting))
    return made
  })

describe("A Change from its request until it is live", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  // docs/internals/scale.md reckons with these.
  it("is at most 22 commits, 7 commands, 11 events and 20 KB of records and events, all in its Project's scope", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const commits = yield* commitsOf(
          Effect.gen(function* () {
            const { id } = yield* candidateOf(project.id, "r1", { "result.txt": "better" })
            yield* Promotions.promote(person, id)
            yield* settle
            expect((yield* demand("candidate", id)).record.status).toBe("promoted")
            expect((yield* demand("pointer", `${project.id}/production`)).record.generation).toBe(1)
          })
        )
        expect(commits.map(({ projectId }) => projectId)).toEqual(commits.map(() => project.id))
        const events = commits.flatMap((commit) => commit.events ?? [])
        const inserts = commits.flatMap(({ writes = [] }) => writes.filter(({ _tag }) => _tag === "Insert"))
        const bytes = JSON.stringify([inserts, events]).length
        const counts = [commits.length, commits.flatMap((commit) => commit.commands ?? []).length, events.length, bytes]
        for (const [index, most] of [22, 7, 11, 20_000].entries()) expect(counts[index]).toBeLessThanOrEqual(most)
        // It is the count of something: a Change has a history of its own.
        expect(counts.every((count) => count > 5)).toBe(true)
      })
    ))
})
