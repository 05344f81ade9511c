/** Hints through a real queue of workerd, and what becomes of those that could not be brought. */
import { runInDurableObject } from "cloudflare:test"
import { Commands } from "@pawl/core/work/Commands"
import { Limits } from "@pawl/core/primitives/Limits"
import type { Stores } from "@pawl/sql/SqlStores"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Hint, sendAll } from "../../../src/hints/Hint.ts"
import { bring, bury, hintOf } from "../../../src/hints/HintConsumer.ts"
import * as DurableObjectStores from "../../../src/sqlite/DurableObjectStores.ts"
import type { ObjectStorage } from "../../../src/sqlite/ObjectStorage.ts"
import { bound } from "../kit/Bound.ts"

const moved = (projectId: string): Hint => ({ _tag: "Moved", projectId })
const upkeep = (projectId: string, ...what: ReadonlyArray<string>): Hint => ({ _tag: "Upkeep", projectId, what })

/** What came to an object, once it is as it is waited for. The test's own patience bounds it. */
const seen = async (name: string, isIt: (found: { readonly came: number; readonly dead: number }) => boolean) => {
  for (;;) {
    const { came, dead } = await bound.HINTED.getByName(name).seen()
    if (isIt({ came, dead: dead.length })) return { came, dead }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A message, and what was said of it. */
const message = (id: string, body: unknown) => {
  const said: Array<string> = []
  return { id, body, said, ack: () => void said.push("ack"), retry: () => void said.push("retry") }
}

describe("A hint on its queue", () => {
  it("is brought, and brought again until it is taken", async () => {
    await bound.HINTS.send(moved("proj_a"))
    await bound.HINTS.send(moved("proj_b~2"))
    expect(await seen("proj_a", ({ came }) => came > 0)).toEqual({ came: 1, dead: [] })
    expect(await seen("proj_b~2", ({ came }) => came > 2)).toEqual({ came: 3, dead: [] })
  })

  it("is dead when nobody took it as often as it may come, and is told as it was sent", async () => {
    const hint = upkeep("proj_c~9", "claim.expire")
    await bound.HINTS.send(hint)
    expect(await seen("proj_c~9", ({ dead }) => dead > 0)).toEqual({ came: 3, dead: [hint] })
  })

  it("is dead too when nobody can read it, and keeps no other from coming", async () => {
    const unreadable = { _tag: "Nothing" } as unknown as Hint
    await sendAll(bound.HINTS, [unreadable, moved("proj_d")])
    expect((await seen("proj_d", ({ came }) => came > 0)).came).toBe(1)
    expect((await seen("nobody", ({ dead }) => dead > 0)).dead).toEqual([unreadable])
  })

  it("comes once for equal ones of a batch, all of which are then taken or not", async () => {
    const brought: Array<Hint> = []
    const batch = [
      message("1", moved("proj_a")),
      message("2", moved("proj_bad")),
      message("3", moved("proj_a")),
      message("4", upkeep("proj_a", "claim.expire")),
      message("5", moved("proj_bad")),
      message("6", undefined)
    ]
    const deliver = (hint: Hint) => {
      brought.push(hint)
      return hint.projectId === "proj_bad" ? Promise.reject(new Error("not now")) : Promise.resolve()
    }
    await Effect.runPromise(bring(batch, deliver))
    expect(brought).toEqual([moved("proj_a"), moved("proj_bad"), upkeep("proj_a", "claim.expire")])
    expect(batch.map(({ said }) => said)).toEqual([["ack"], ["retry"], ["ack"], ["ack"], ["retry"], ["retry"]])
  })

  it("goes with as many others as a queue takes at once", async () => {
    const sizes: Array<number> = []
    const sendBatch = (messages: ReadonlyArray<object>) => Promise.resolve(sizes.push(messages.length))
    const hints = Array.from({ length: 250 }, (_, nth) => moved(`proj_${nth}`))
    await sendAll({ send: () => Promise.reject(new Error("one by one")), sendBatch }, hints)
    expect(sizes).toEqual([100, 100, 50])
  })
})

describe("A hint that its queue gave up", () => {
  let objects = 0
  const inside = (test: Effect.Effect<void, unknown, Stores>) =>
    runInDurableObject(bound.STORE.getByName(`hints-${objects++}`), (_, { storage }: { storage: ObjectStorage }) => {
      DurableObjectStores.bringToShape(storage)
      return Effect.runPromise(Effect.provide(test, DurableObjectStores.layer(storage)))
    })
  const letters = Effect.flatMap(Commands, (commands) => commands.deadLetters(null))
  const claim = Effect.flatMap(Commands, (commands) =>
    commands.claim({ worker: "w", kinds: ["project.hint"], limit: 5, leaseMs: Limits.commandLeaseMs })
  )

  it("is one dead letter of the directory, however often it dies, and can be done by hand", () =>
    inside(
      Effect.gen(function* () {
        for (const id of ["1", "2"]) yield* bury({ id, body: moved("proj_a") })
        yield* bury({ id: "3", body: upkeep("proj_a", "claim.expire", "calls.sweep") })
        const found = yield* letters
        expect(found.map(({ id, kind, projectId }) => [id, kind, projectId])).toEqual([
          ["project.hint:proj_a:moved", "project.hint", null],
          ["project.hint:proj_a:claim.expire,calls.sweep", "project.hint", null]
        ])
        expect(found.every(({ lastProblem }) => lastProblem?.includes("could not bring it"))).toBe(true)
        expect(yield* claim).toEqual([])
        yield* (yield* Commands).retry("project.hint:proj_a:moved")
        const [leased, ...more] = yield* claim
        expect(more).toEqual([])
        expect(yield* hintOf(leased!.command.payload)).toEqual(moved("proj_a"))
      })
    ))

  it("leaves the try alone that somebody has it done by", () =>
    inside(
      Effect.gen(function* () {
        yield* bury({ id: "1", body: moved("proj_a") })
        yield* (yield* Commands).retry("project.hint:proj_a:moved")
        yield* bury({ id: "2", body: moved("proj_a") })
        expect(yield* letters).toEqual([])
        const [leased] = yield* claim
        yield* bury({ id: "3", body: moved("proj_a") })
        expect(yield* letters).toEqual([])
        yield* (yield* Commands).finish(leased!.lease)
        // It died once more meanwhile, so it is done once more.
        expect(yield* claim).toHaveLength(1)
      })
    ))

  it("is kept as it came when nobody can read it", () =>
    inside(
      Effect.gen(function* () {
        yield* bury({ id: "1", body: { some: "thing" } })
        const [letter] = yield* letters
        expect([letter?.id, letter?.payload]).toEqual(["project.hint:unreadable:1", { message: { some: "thing" } }])
        expect(yield* Effect.flip(hintOf(letter!.payload))).toContain("nobody can read")
      })
    ))
})
