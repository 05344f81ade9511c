import { describe, expect, it } from "vitest"
import { numbers, rounds } from "@pawl/testing/Depth"
import { seededDraw } from "@pawl/testing/tools/SeededScheduler"
import { gated } from "@pawl/core/candidate/Verification"
import { judge } from "@pawl/core/verification/Gate"
import * as Commit from "@pawl/core/ledger/Commit"
import { copy, type MemoryState } from "@pawl/adapters-memory/MemoryState"
import { swapDecision, requested, type Snapshot } from "@pawl/core/promotion/Canonical"
import { person } from "../kit/MemoryPawl.ts"
import {
  addCandidate,
  approvalOf,
  brokenLine,
  candidateId,
  changeId,
  commit,
  get,
  must,
  newWorld,
  now,
  projectId,
  snapshotOf
} from "./World.ts"

const ask = { actor: person, trigger: "user" as const, now }
const ground = newWorld()

interface History {
  readonly state: MemoryState
  /** Snapshots that promoters took and have not used yet: they may be old by now. */
  readonly held: Map<number, Snapshot>
  count: number
  promoted: number
}

type Draw = (below: number) => number

const add = (history: History, draw: Draw) => {
  history.count++
  addCandidate(history.state, {
    n: history.count,
    status: draw(3) === 0 ? "verifying" : "verified",
    approvalRequired: draw(4) === 0,
    // A Candidate that is verified although its evidence fails: the cached score is not trusted.
    result: draw(5) === 0 ? (draw(2) === 0 ? "fail" : "gap") : "pass"
  })
}

const gate = (history: History, n: number) => {
  const candidate = must(history.state, "candidate", candidateId(n))
  const { plan, commit: made, tree, status } = candidate.record
  if (status !== "verifying" || plan === null || made === null || tree === null) return
  const { change, evidence, head, policy } = snapshotOf(history.state, n)
  const score = judge(plan, { commit: made, tree }, evidence, now)
  commit(history.state, gated({ candidate, change, head, policy, score, evidence, now }))
}

const decide = (history: History, n: number, draw: Draw) => {
  if (get(history.state, "approval", candidateId(n)) !== null) return
  const candidate = must(history.state, "candidate", candidateId(n))
  if (candidate.record.status !== "verified" || candidate.record.tree === null) return
  // Now and then for another tree: an approval binds to the exact composed tree.
  const tree = draw(4) === 0 ? "f".repeat(40) : candidate.record.tree
  const approval = approvalOf(n, draw(3) === 0 ? "rejected" : "granted", tree)
  commit(history.state, {
    name: "test.approve",
    projectId,
    writes: [Commit.insert("approval", approval), Commit.update("candidate", candidate, {})]
  })
}

const newPolicy = (history: History) => {
  const policy = must(history.state, "policy", projectId)
  commit(history.state, {
    name: "test.policy",
    projectId,
    writes: [
      Commit.update("policy", policy, { version: policy.record.version + 1 }),
      Commit.insert("policyVersion", { ...policy.record, version: policy.record.version + 1 })
    ]
  })
}

const request = (history: History, n: number) => {
  const snapshot = snapshotOf(history.state, n)
  const wanted = requested(snapshot, ask, { token: "token", leaseMs: 1000 })
  if (wanted !== null) commit(history.state, wanted)
}

const swap = (history: History, n: number) => {
  const snapshot = history.held.get(n) ?? snapshotOf(history.state, n)
  history.held.delete(n)
  const decision = swapDecision(snapshot, ask)
  if (decision._tag === "AlreadyPromoted" || decision.commit === null) return
  if (commit(history.state, decision.commit) && decision._tag === "Swap") history.promoted++
}

const step = (history: History, draw: Draw) => {
  const n = 1 + draw(Math.max(history.count, 1))
  const kind = draw(20)
  if (history.count === 0 || kind < 4) return add(history, draw)
  if (kind < 6) return gate(history, n)
  if (kind < 8) return decide(history, n, draw)
  if (kind < 9 && draw(3) === 0) return newPolicy(history)
  if (kind < 13) return request(history, n)
  if (kind < 15) return void history.held.set(n, snapshotOf(history.state, n))
  return swap(history, n)
}

/** One history by its number. */
const play = (number: number): { readonly problem: string | null; readonly promoted: number } => {
  const draw = seededDraw(number)
  const history: History = { state: copy(ground), held: new Map(), count: 0, promoted: 0 }
  const length = 10 + draw(15)
  for (let i = 0; i < length; i++) step(history, draw)
  const line = must(history.state, "head", projectId).record.generation
  const problem =
    brokenLine(history.state) ??
    (line === history.promoted ? null : `${history.promoted} winners for ${line} generations`)
  return { problem, promoted: history.promoted }
}

describe("The promotion path under random histories", () => {
  it("keeps generations dense, one winner each, and every promoted tree the verified one, in 100,000 histories", () => {
    const histories = numbers(rounds({ quick: 100_000, deep: 100_000, long: 1_000_000 }), { quick: 10_000 })
    let promotions = 0
    for (const number of histories) {
      const { problem, promoted } = play(number)
      if (problem !== null) expect.fail(`history ${number}: ${problem}`)
      promotions += promoted
    }
    console.log(`${histories.length} of at least 100000 histories, ${promotions} promotions`)
    // Histories in which nothing is ever promoted would prove nothing.
    expect(promotions).toBeGreaterThan(histories.length / 4)
  }, 1_100_000)

  it("can fail: a decision that forgets the generation is caught", () => {
    const history: History = { state: copy(ground), held: new Map(), count: 0, promoted: 0 }
    addCandidate(history.state, { n: 1, status: "verified" })
    addCandidate(history.state, { n: 2, status: "verified" })
    history.count = 2
    request(history, 1)
    request(history, 2)
    swap(history, 1)
    const second = snapshotOf(history.state, 2)
    const blind = {
      ...second,
      candidate: {
        ...second.candidate,
        record: {
          ...second.candidate.record,
          baseGeneration: 1,
          baseCommit: second.head.record.commit,
          baseTree: second.head.record.tree
        }
      }
    }
    const decision = swapDecision(blind, ask)
    if (decision._tag === "Swap")
      commit(history.state, {
        ...decision.commit,
        writes: decision.commit.writes!.filter((write) => write.kind !== "candidate")
      })
    expect(must(history.state, "change", changeId(2)).record.status).toBe("completed")
    expect(brokenLine(history.state)).not.toBeNull()
  })
})
