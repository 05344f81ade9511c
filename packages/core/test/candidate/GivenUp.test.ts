/** A check whose Candidate is not to be checked any more gives its sandbox back. */
import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { demand } from "@pawl/core/ledger/Decision"
import { Commands } from "@pawl/core/work/Commands"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { layer, person } from "../kit/MemoryPawl.ts"
import { askedFor, newProject } from "../kit/Scenes.ts"
import { inVirtualTime } from "../kit/VirtualTime.ts"
import { turn } from "../kit/WorkWorld.ts"

/** A sandbox in which nothing ever ends by itself, and what was asked of it. */
const endless = () => {
  const asked = { started: 0, given: 0 }
  const service: Sandbox["Service"] = {
    isolation: Effect.succeed({ name: "memory", version: "1", guarantees: [] }),
    start: ({ id }) => Effect.sync(() => (asked.started++, { id })),
    poll: (_handle, waitMs) => Effect.as(Effect.sleep(waitMs), { _tag: "Running" as const }),
    cancel: () => Effect.sync(() => void asked.given++)
  }
  return { asked, service }
}

describe("A command that runs", () => {
  it("is ended, with its sandbox, soon after its Change was cancelled, and shows nothing", () => {
    const { asked, service } = endless()
    const story = Effect.gen(function* () {
      const project = yield* newProject()
      const { changeId, id } = yield* askedFor(project.id, "r1", { "a.txt": "a" })
      const verifying = yield* Effect.forkChild(Effect.provideService(turn("candidate.create"), Sandbox, service))
      yield* Effect.sleep("10 seconds")
      expect(asked).toEqual({ started: 1, given: 0 })
      expect((yield* demand("candidate", id)).record.status).toBe("verifying")
      yield* Cancellation.cancel(person, changeId)
      yield* Effect.sleep("3 seconds")
      expect(asked).toEqual({ started: 1, given: 1 })
      yield* Fiber.join(verifying)
      expect((yield* evidenceOf(id)).filter(({ checkId }) => checkId === "test")).toEqual([])
      const again = { worker: "w", kinds: ["candidate.create"], limit: 1, leaseMs: 1 } as const
      expect(yield* (yield* Commands).claim(again)).toEqual([])
    })
    return inVirtualTime(1, Effect.provide(story, layer))
  })
})
