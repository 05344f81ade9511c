import { rounds, seed } from "@pawl/testing/Depth"
import * as FastCheck from "fast-check"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { ChangeSet, FileChange, Intent } from "@pawl/core/model/ChangeSet"
import { listingOf, listKey, wholeChangeSet } from "@pawl/core/changeset/Listing"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"

const changeSet = {
  id: "cs_run_tsk_chg_00000000-0000-4000-8000-000000000001_a_1",
  projectId: "proj_00000000-0000-4000-8000-000000000001",
  changeId: "chg_00000000-0000-4000-8000-000000000001",
  taskId: "tsk_chg_00000000-0000-4000-8000-000000000001_a",
  runId: "run_tsk_chg_00000000-0000-4000-8000-000000000001_a_1",
  author: { type: "user", id: "user_1" },
  baseGeneration: 0,
  baseCommit: "0".repeat(40),
  commit: "1".repeat(40),
  tree: "2".repeat(40),
  message: "m",
  createdAt: "2030-01-01T00:00:00.000Z"
} as unknown as ChangeSet

// Long enough, and many enough, that a list is cut in about half of the cases.
const path = FastCheck.string({ unit: "binary", minLength: 1, maxLength: 2000, size: "max" })
const files = FastCheck.uniqueArray(path, { minLength: 1, maxLength: 150, size: "max" }).map((paths) =>
  paths.map((each): FileChange => ({ path: each, status: "added", additions: 1, deletions: 0 }))
)
const declared = FastCheck.array(
  FastCheck.record<Intent>({
    kind: FastCheck.constantFrom("path", "symbol", "route"),
    value: path,
    mode: FastCheck.constantFrom("read", "write")
  }),
  { minLength: 0, maxLength: 150, size: "max" }
)

const bytes = (value: unknown) => utf8(JSON.stringify(value)).length

const play = <A, E>(program: Effect.Effect<A, E, ObjectStore>) =>
  Effect.runPromise(Effect.provide(program, MemoryObjectStore.layerMemory))

describe("What a ChangeSet lists", () => {
  it("stays within its bound in the record, and can be read whole and in order", async () => {
    let cuts = 0
    await FastCheck.assert(
      FastCheck.asyncProperty(files, declared, (written, intents) =>
        play(
          Effect.gen(function* () {
            const listing = yield* listingOf(changeSet.projectId, written, intents)
            // The brackets around the entries are two more.
            expect(bytes(listing.files)).toBeLessThanOrEqual(Limits.changeSetListBytes + 2)
            expect(bytes(listing.intents)).toBeLessThanOrEqual(Limits.changeSetListBytes + 2)
            const all = yield* wholeChangeSet({ ...changeSet, ...listing })
            expect(all.cut).toBe(undefined)
            expect(all.files).toEqual(written)
            expect(all.intents.slice(0, intents.length)).toEqual(intents)
            expect(all.files.slice(0, listing.files.length)).toEqual(listing.files)
            expect(all.intents.slice(0, listing.intents.length)).toEqual(listing.intents)
            if (!("cut" in listing)) return
            cuts++
            expect(listing.cut).toMatchObject({ filesTotal: written.length, intentsTotal: all.intents.length })
          })
        )
      ),
      { numRuns: rounds({ quick: 20, deep: 60, long: 1000 }), seed }
    )
    expect(cuts).toBeGreaterThan(0)
  }, 600_000)

  it("is missing, not another list, when what is stored is gone or was altered", () =>
    play(
      Effect.gen(function* () {
        const many = Array.from({ length: 2000 }, (_, n): FileChange => {
          return { path: `${"d".repeat(200)}/${n}`, status: "deleted", additions: 0, deletions: 1 }
        })
        const listing = yield* listingOf(changeSet.projectId, many, [])
        const key = listKey(changeSet.projectId, "cut" in listing ? listing.cut.digest : "")
        const objects = yield* ObjectStore
        yield* objects.put(key, utf8('{"files":[],"declared":[]}'))
        expect(yield* Effect.flip(wholeChangeSet({ ...changeSet, ...listing }))).toMatchObject({
          _tag: "ObjectMissing",
          key
        })
        yield* objects.remove(key)
        expect(yield* Effect.flip(wholeChangeSet({ ...changeSet, ...listing }))).toMatchObject({
          _tag: "ObjectMissing",
          key
        })
      })
    ))
})
