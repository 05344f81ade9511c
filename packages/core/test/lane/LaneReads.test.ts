import { Effect } from "effect"
import { beforeEach, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import { enter } from "@pawl/core/lane/LaneEntries"
import { readLane } from "@pawl/core/lane/LaneReading"
import { entryView, laneView } from "@pawl/core/lane/LaneView"
import { Records } from "@pawl/core/ledger/Records"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { clean, laneOn, outcome, worked } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, every, joined, newProject } from "../kit/Scenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** What a piece of work reads of the ledger, by method and kind. */
const readsOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const reads: Array<string> = []
    const counting: Around = ({ args, method }, effect) => {
      reads.push(`${method} ${String(args[0])}`)
      return effect
    }
    yield* Effect.provideService(work, Records, wrap(Records, yield* Records, counting))
    return reads
  })

/** A Project whose lane lets nobody out by itself. */
const byHand = Effect.fnUntraced(function* (slug: string, policy: Partial<PolicyFields> = {}) {
  const project = yield* newProject(slug)
  yield* Policies.change(person, project.id, { ...laneOn, autoPromoteRiskTiers: [], ...policy })
  return project.id
})

/** A lane of so many entries, each with a Candidate that nobody has looked at yet. */
const waiting = Effect.fnUntraced(function* (count: number) {
  const projectId = yield* byHand(`waiting-${count}`)
  for (const [n, files] of clean(count).entries()) {
    const { changeId, id } = yield* askedFor(projectId, `c${n}`, files)
    yield* enter(person, { changeId, candidateId: id })
  }
  return projectId
})

/** The same of a lane of verified Candidates, each approved by one person. */
const approved = Effect.fnUntraced(function* (count: number) {
  const strict = { approvalRiskTiers: every, allowSelfApproval: false, approvalsRequired: 2 }
  const projectId = yield* byHand(`approved-${count}`, strict)
  for (const [n, files] of clean(count).entries())
    yield* enter(person, { changeId: yield* worked(projectId, `c${n}`, files) })
  yield* settle
  const { entries } = yield* outcome(projectId)
  const colleague = yield* joined(projectId, count)
  for (const { candidateId, changeId } of entries)
    yield* Approvals.decide(colleague, { changeId, candidateId: candidateId!, decision: "granted" })
  return projectId
})

it("is read in as many questions whether a hundred wait in it or ten", () =>
  run(
    Effect.gen(function* () {
      const ofFew = yield* readsOf(readLane(yield* waiting(10)))
      const many = yield* waiting(100)
      const reads = yield* readsOf(readLane(many))
      expect(reads).toEqual([
        "get lane",
        "get head",
        "get policy",
        "get project",
        "list laneEntry",
        "many candidate",
        "many change",
        "list evidence",
        "get pointer"
      ])
      expect(ofFew).toEqual(reads)
      expect((yield* readLane(many))?.entries.size).toBe(100)
    })
  ))

it("is read in as many questions whoever approved its Candidates, and whose work these are", () =>
  run(
    Effect.gen(function* () {
      const ofFew = yield* readsOf(readLane(yield* approved(2)))
      const many = yield* approved(8)
      const reads = yield* readsOf(readLane(many))
      expect(reads.filter((each) => each.startsWith("many"))).toEqual([
        "many candidate",
        "many change",
        "many approval",
        "many approval",
        "many changeSet"
      ])
      expect(ofFew).toEqual(reads)
      expect((yield* readLane(many))?.reading.line.map(({ owes }) => owes)).toEqual(
        Array.from({ length: 8 }, () => true)
      )
    })
  ))

it("is shown in as many questions whether ten wait in it or twenty, each with what its Change is for", () =>
  run(
    Effect.gen(function* () {
      const ofFew = yield* readsOf(laneView(yield* waiting(10)))
      const many = yield* waiting(20)
      expect(yield* readsOf(laneView(many))).toEqual(ofFew)
      expect((yield* laneView(many)).entries.map(({ title }) => title)).toEqual(
        Array.from({ length: 20 }, () => "a goal")
      )
    })
  ))

it("is not read as a whole for who asks where one entry stands", () =>
  run(
    Effect.gen(function* () {
      const { entries } = yield* laneView(yield* waiting(20))
      const last = entries.at(-1)!
      expect(yield* readsOf(entryView(last.id))).toEqual([
        "get laneEntry",
        "get head",
        "list laneEntry",
        "many candidate",
        "many change"
      ])
      expect(yield* entryView(last.id)).toEqual(last)
    })
  ))
