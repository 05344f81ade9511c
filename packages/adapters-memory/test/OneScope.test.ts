import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { layerMemory } from "@pawl/adapters-memory/MemoryLedger"
import { type Commit, insert } from "@pawl/core/ledger/Commit"
import { change, changeId, commit, projectId, stored } from "@pawl/testing/tools/StoreFixtures"

/** A Change of the first Project is there; another Project's commit has these parts. */
const besides = (parts: (revision: number) => Partial<Commit>) =>
  Effect.gen(function* () {
    yield* commit({ writes: [insert("change", change())] })
    const { revision } = yield* stored("change", changeId())
    return yield* Effect.exit(commit({ projectId: projectId(2), ...parts(revision) }))
  }).pipe(Effect.provide(layerMemory), Effect.runPromise)

/** That a Project's rows can stand in another database than the next one's rests on this, and every suite of the core runs on this store. */
describe("The store in memory, for all others, ends a commit", () => {
  it.each<readonly [string, (revision: number) => Partial<Commit>]>([
    [
      "relies on a record",
      (revision) => ({ expects: [{ _tag: "Unchanged", kind: "change", id: changeId(), revision }] })
    ],
    ["relies on there being no record", () => ({ expects: [{ _tag: "Absent", kind: "change", id: changeId() }] })],
    ["deletes a record", (revision) => ({ writes: [{ _tag: "Delete", kind: "change", id: changeId(), revision }] })]
  ])("of another Project that %s of this one", async (_, parts) => {
    const ended = await besides(parts)
    expect(Exit.isFailure(ended) && String(ended.cause)).toContain("belongs to another scope")
  })
})
