import { Effect } from "effect"
import { beforeEach, expect, it } from "vitest"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Cancellation from "@pawl/core/change/Cancellation"
import type { Commit } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import * as Archival from "@pawl/core/project/Archival"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject, opened } from "../kit/Scenes.ts"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** What a piece of work reads, by method and kind, and what it commits. */
const counted = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const reads: Array<string> = []
    const commits: Array<Commit> = []
    const reading: Around = ({ args, method }, effect) => {
      reads.push(`${method} ${String(args[0])}`)
      return effect
    }
    const writing: Around = ({ args }, effect) => {
      commits.push(args[0] as Commit)
      return effect
    }
    yield* work.pipe(
      Effect.provideService(Records, wrap(Records, yield* Records, reading)),
      Effect.provideService(Ledger, wrap(Ledger, yield* Ledger, writing))
    )
    return { reads, commits }
  })

const ended = Effect.gen(function* () {
  const project = yield* newProject()
  yield* Policies.change(person, project.id, { approvalRiskTiers: [] })
  const [one, two] = [
    yield* candidateOf(project.id, "one", { "a.txt": "a" }),
    yield* candidateOf(project.id, "two", { "b.txt": "b" })
  ]
  yield* Promotions.promote(person, one.id)
  yield* settle
  const change = yield* opened(project.id, "three")
  yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files: { "c.txt": "c" } })
  yield* Candidates.request(person, { changeId: change.id })
  yield* Cancellation.cancel(person, two.changeId)
  yield* settle
  yield* Archival.archive(person, project.id)
  yield* settle
})

it("is not there for a Project whose lane is off: nothing of it is read, written or sent", () =>
  run(
    Effect.gen(function* () {
      const { commits, reads } = yield* counted(ended)
      const isOfLane = (name: string) => /lane/i.test(name)
      expect(reads.filter(isOfLane)).toEqual([])
      expect(commits.flatMap(({ writes = [] }) => writes.map(({ kind }) => kind)).filter(isOfLane)).toEqual([])
      expect(commits.flatMap(({ commands = [] }) => commands.map(({ kind }) => kind)).filter(isOfLane)).toEqual([])
      expect(commits.flatMap(({ events = [] }) => events.map(({ type }) => type)).filter(isOfLane)).toEqual([])
      // The Policy, which says whether there is a lane, is read as often as it was before there could be one.
      expect(reads.filter((name) => name === "get policy")).toHaveLength(16)
    })
  ))
