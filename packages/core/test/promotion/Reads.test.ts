import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { person, run } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"

/** Runs a promotion; answers what it read, by kind: how often one record, how often a list. */
const readsOf = <A, E, R>(promotion: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const reads: Record<string, number> = {}
    const counting: Around = ({ args, method }, effect) => {
      const name = `${method} ${String(args[0])}`
      reads[name] = (reads[name] ?? 0) + 1
      return effect
    }
    yield* Effect.provideService(promotion, Records, wrap(Records, yield* Records, counting))
    return reads
  })

/** What a promotion is decided by is read once. The rest is the sync's: it looks at the head before and after. */
const once = {
  "get candidate": 1,
  "get change": 1,
  "get policy": 1,
  "get approval": 1,
  "list evidence": 1,
  "get head": 3,
  "get generation": 2
}

describe("What a promotion reads", () => {
  it("is each thing once, when a person asks for it and nothing moves meanwhile", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const { id } = yield* candidateOf(project.id, "r1", { "result.txt": "better" })
        const reads = yield* readsOf(Promotions.promote(person, id))
        expect(reads).toMatchObject(once)
        expect(reads["get project"]).toBe(1)
        expect(reads["list candidate"]).toBeUndefined()
        expect((yield* demand("candidate", id)).record.status).toBe("promoted")
      })
    ))

  it("is each thing once, when its command promotes it", () =>
    run(
      Effect.gen(function* () {
        const project = yield* newProject()
        const { id } = yield* candidateOf(project.id, "r1", { "result.txt": "better" })
        const ask = { actor: person, trigger: "auto", now: "2026-01-01T00:00:00.000Z" } as const
        const reads = yield* readsOf(Promotions.resume(id, ask))
        expect(reads).toMatchObject(once)
        expect(reads["get project"]).toBe(1)
        expect((yield* demand("candidate", id)).record.status).toBe("promoted")
      })
    ))
})
