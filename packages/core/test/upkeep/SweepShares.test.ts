/** What a sweep looks after where each Project has a database of its own. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Share, sweepExpired } from "@pawl/core/upkeep/RetentionSweep"
import { Commands } from "@pawl/core/work/Commands"
import { execute } from "@pawl/core/work/Processes"
import { after, keysUnder, play } from "../kit/UpkeepScenes.ts"

const keysOf = (projectId: string) => [
  `app-previews/${projectId}/c/bundle.json`,
  `events/${projectId}/0000000000000001-0000000000000002.jsonl`,
  `git/${projectId}/nobody-00000000.pack`
]
const all = ["tmp/left", ...keysOf("proj_a"), ...keysOf("proj_b")].toSorted()

const stored = Effect.gen(function* () {
  const objects = yield* ObjectStore
  for (const key of all) yield* objects.put(key, new Uint8Array())
  yield* after(Limits.retentionDaysEvents + 1)
})
const left = Effect.map(Effect.forEach(["tmp/", "app-previews/", "events/", "git/"], keysUnder), (found) =>
  found.flat().toSorted()
)

let count = 0
const send = Effect.flatMap(Ledger, (ledger) =>
  ledger.commit({
    name: "test",
    projectId: null,
    commands: [{ kind: "retention.sweep", id: `retention.sweep:share/${++count}`, payload: {} }]
  })
)
/** Does the next message, and answers whether there was one. */
const next = (share: Share) =>
  Effect.gen(function* () {
    const [leased] = yield* (yield* Commands).claim({
      worker: "test",
      kinds: ["retention.sweep"],
      limit: 1,
      leaseMs: Limits.commandLeaseMs
    })
    if (leased !== undefined) yield* execute(leased, { "retention.sweep": () => sweepExpired(share) })
    return leased !== undefined
  })
const rest = (share: Share) =>
  Effect.gen(function* () {
    while (yield* next(share)) continue
  })

describe("A sweep of what expires", () => {
  it("of one Project takes what is its own, and nothing of another or of none", () =>
    play(
      Effect.gen(function* () {
        yield* stored
        yield* send
        yield* rest({ projectId: "proj_a" })
        expect(yield* left).toEqual(["tmp/left", ...keysOf("proj_b")].toSorted())
      })
    ))

  it("of what is no Project's takes nothing of any, also where one of an earlier version goes on", () =>
    play(
      Effect.gen(function* () {
        yield* stored
        yield* send
        yield* rest("noProjects")
        const ofProjects = [...keysOf("proj_a"), ...keysOf("proj_b")].toSorted()
        expect(yield* left).toEqual(ofProjects)
        for (const messages of [1, 5, 6]) {
          yield* send
          for (let each = 0; each < messages; each++) yield* next("all")
          yield* rest("noProjects")
          expect(yield* left).toEqual(ofProjects)
        }
      })
    ))

  it("of all takes all", () =>
    play(
      Effect.gen(function* () {
        yield* stored
        yield* send
        yield* rest("all")
        expect(yield* left).toEqual([])
      })
    ))
})
