import { expect, it } from "vitest"
import * as Commit from "@pawl/core/ledger/Commit"
import { swapDecision } from "@pawl/core/promotion/Canonical"
import { person } from "../kit/MemoryPawl.ts"
import {
  addCandidate,
  brokenLine,
  changeId,
  commit,
  get,
  must,
  newWorld,
  now,
  objectId,
  projectId,
  snapshotOf
} from "./World.ts"

/** A verified Candidate whose Change is promoting, and the swap that was decided for it. */
const decided = () => {
  const state = newWorld()
  addCandidate(state, { n: 1, status: "verified" })
  const promoting = { status: "promoting", statusBeforePromoting: "verifying" } as const
  const type = "canonical.promotion.requested" as const
  commit(state, {
    name: "test.promoting",
    projectId,
    writes: [Commit.update("change", must(state, "change", changeId(1)), promoting)],
    events: [{ type, subject: changeId(1), data: {}, actor: person }]
  })
  const decision = swapDecision(snapshotOf(state, 1), { actor: person, trigger: "user", now })
  if (decision._tag !== "Swap") throw new Error(decision._tag)
  return { state, swap: decision.commit }
}

it("stores a swap on the commit that it was decided on", () => {
  const { state, swap } = decided()
  expect(commit(state, swap)).toBe(true)
  expect(brokenLine(state)).toBeNull()
})

it("stores no swap when the head is another commit by then, were it the same generation with the same tree", () => {
  const { state, swap } = decided()
  const head = must(state, "head", projectId)
  commit(state, { name: "test.head", projectId, writes: [Commit.update("head", head, { commit: objectId(9) })] })
  expect(commit(state, swap)).toBe(false)
  expect(get(state, "generation", `${projectId}/1`)).toBeNull()
  const anew = swapDecision(snapshotOf(state, 1), { actor: person, trigger: "user", now })
  expect(anew._tag).toBe("Stale")
})
