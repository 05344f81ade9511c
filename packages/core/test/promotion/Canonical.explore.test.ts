import { describe, expect, it } from "vitest"
import { explore } from "@pawl/testing/tools/Explorer"
import type * as Commit from "@pawl/core/ledger/Commit"
import { copy, type MemoryState } from "@pawl/adapters-memory/MemoryState"
import { swapDecision, requested, type Snapshot } from "@pawl/core/promotion/Canonical"
import { person } from "../kit/MemoryPawl.ts"
import { addCandidate, all, brokenLine, candidateId, commit, must, newWorld, now, snapshotOf } from "./World.ts"

/** Where a promoter is: it has read, it has asked, it has read again, it is done. */
type Phase =
  | { readonly _tag: "Start" }
  | { readonly _tag: "Read"; readonly snapshot: Snapshot }
  | { readonly _tag: "Asked" }
  | { readonly _tag: "ReadAgain"; readonly snapshot: Snapshot }
  | { readonly _tag: "Done"; readonly outcome: string }

interface World {
  readonly store: MemoryState
  readonly phases: ReadonlyArray<Phase>
}

const ask = { actor: person, trigger: "user" as const, now }

const attempt = (
  store: MemoryState,
  wanted: Commit.Commit | null
): { readonly store: MemoryState; readonly held: boolean } => {
  if (wanted === null) return { store, held: true }
  const next = copy(store)
  return commit(next, wanted) ? { store: next, held: true } : { store, held: false }
}

const askFor = (
  store: MemoryState,
  snapshot: Snapshot,
  token: string
): World["phases"][number] & { store?: MemoryState } => {
  const asPromoting = {
    ...snapshot,
    change: { ...snapshot.change, record: { ...snapshot.change.record, status: "promoting" as const } }
  }
  const decision = swapDecision(asPromoting, ask)
  if (decision._tag === "AlreadyPromoted") return { _tag: "Done", outcome: "alreadyPromoted" }
  if (decision._tag === "Blocked") return { _tag: "Done", outcome: "blocked" }
  const tried = attempt(store, decision._tag === "Stale" ? null : requested(snapshot, ask, { token, leaseMs: 1000 }))
  return tried.held ? { _tag: "Asked", store: tried.store } : { _tag: "Start" }
}

const swapFor = (store: MemoryState, snapshot: Snapshot): World["phases"][number] & { store?: MemoryState } => {
  const decision = swapDecision(snapshot, ask)
  if (decision._tag === "AlreadyPromoted") return { _tag: "Done", outcome: "alreadyPromoted" }
  const tried = attempt(store, decision.commit)
  return tried.held ? { _tag: "Done", outcome: decision._tag, store: tried.store } : { _tag: "Asked" }
}

/** One step of promoter `i`, who promotes the Candidate `target`. */
const stepOf = (world: World, i: number, target: number): World | null => {
  const phase = world.phases[i]!
  const become = (next: Phase & { store?: MemoryState }): World => {
    const { store = world.store, ...plain } = next
    return { store, phases: world.phases.map((each, index) => (index === i ? (plain as Phase) : each)) }
  }
  switch (phase._tag) {
    case "Start":
      return become({ _tag: "Read", snapshot: snapshotOf(world.store, target) })
    case "Read":
      return become(askFor(world.store, phase.snapshot, `token-${i}`))
    case "Asked":
      return become({ _tag: "ReadAgain", snapshot: snapshotOf(world.store, target) })
    case "ReadAgain":
      return become(swapFor(world.store, phase.snapshot))
    case "Done":
      return null
  }
}

const revisions = (snapshot: Snapshot) =>
  [snapshot.candidate, snapshot.change, snapshot.head, snapshot.policy].map((each) => each.revision).join(".")

const keyOf = (world: World): string => {
  const records = (["candidate", "change", "head"] as const).flatMap((kind) =>
    all<"candidate" | "change" | "head">(world.store, kind).map(
      (each) => `${each.revision}${"status" in each.record ? each.record.status : each.record.generation}`
    )
  )
  const phases = world.phases.map(
    (phase) =>
      `${phase._tag}${"snapshot" in phase ? revisions(phase.snapshot) : "outcome" in phase ? phase.outcome : ""}`
  )
  const winners = all(world.store, "generation").map((each) => each.record.candidateId)
  return [...records, ...phases, ...winners].join("|")
}

const race = (targets: ReadonlyArray<number>, candidates: number) => {
  const store = newWorld()
  for (let n = 1; n <= candidates; n++) addCandidate(store, { n, status: "verified" })
  const outcomes = (world: World) => world.phases.map((phase) => ("outcome" in phase ? phase.outcome : phase._tag))
  return explore<World>(
    {
      initial: { store, phases: targets.map(() => ({ _tag: "Start" as const })) },
      next: (world) =>
        targets.flatMap((target, i) => {
          const next = stepOf(world, i, target)
          return next === null ? [] : [{ label: `promoter ${i}: ${world.phases[i]!._tag}`, state: next }]
        }),
      key: keyOf,
      broken: (world) => brokenLine(world.store),
      brokenEnd: (world) => {
        const won = outcomes(world).filter((outcome) => outcome === "Swap").length
        if (won !== 1) return `${won} promoters won`
        if (must(world.store, "head", "proj_00000000-0000-4000-8000-000000000000").record.generation !== 1)
          return "the generation did not advance once"
        for (const [i, target] of targets.entries()) {
          const status = must(world.store, "candidate", candidateId(target)).record.status
          const outcome = outcomes(world)[i]
          const fits =
            status === "promoted"
              ? outcome === "Swap" || outcome === "alreadyPromoted"
              : outcome === "Stale" && status === "stale"
          if (!fits) return `promoter ${i} learned ${outcome} of a Candidate that is ${status}`
        }
        return null
      }
    },
    2_000_000
  )
}

describe("Four promoters race over the real decisions", () => {
  it.each([
    ["each with a Candidate of its own", [1, 2, 3, 4], 4],
    ["two on each of two Candidates", [1, 1, 2, 2], 2],
    ["all on one Candidate", [1, 1, 1, 1], 1]
  ] as const)("one wins and each learns the truth in every reachable state: %s", (_name, targets, candidates) => {
    const walked = race(targets, candidates)
    console.log(`explored ${walked.states} states, ${walked.steps} steps`)
    expect(walked.violation).toBeNull()
    expect(walked.complete).toBe(true)
  })
})
