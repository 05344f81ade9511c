/** Commands of a lane that failed too often: who stands there says so, and whatever a person decides, the line goes on. */
import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { step } from "@pawl/core/lane/LaneSteps"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { CommandKind } from "@pawl/core/model/Command"
import * as Time from "@pawl/core/primitives/Time"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { why } from "@pawl/core/why/Why"
import { laneWhy } from "@pawl/core/why/WhyLane"
import { Commands } from "@pawl/core/work/Commands"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { outcome } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { carriedOn, entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const landed = "landed landed"

/** The one command of a kind that is due fails for good; answers its id. */
const buried = (kind: CommandKind) =>
  Effect.gen(function* () {
    const commands = yield* Commands
    const [leased] = yield* commands.claim({ worker: "t", kinds: [kind], limit: 1, leaseMs: 1000 })
    yield* commands.fail(leased!.lease, "it broke", null)
    return leased!.command.id
  })

const two = (projectId: string) =>
  Effect.forEach(["a", "b"], (name) => entered(projectId, name, { [`${name}.txt`]: name }))

/** What a wait says of a dead letter. */
const dead = (id: string, kind: CommandKind) => ({ for: "dead_letter", deadLetter: { id, kind, problem: "it broke" } })

/** A promotion that ends where the swap would be written: the Change is promoting. */
const halfWay = (candidateId: string) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const broken: Ledger["Service"] = {
      commit: (commit) => (commit.name === "Promotions.swap" ? Effect.die("it broke") : ledger.commit(commit))
    }
    const asked = { actor: person, trigger: "user", now: yield* Time.now } as const
    yield* Effect.exit(Effect.provideService(Promotions.resume(candidateId, asked), Ledger, broken))
  })

describe.each([
  ["retried", DeadLetters.retry],
  ["dismissed", DeadLetters.dismiss]
] as const)("A line whose dead letter is %s", (how, decide) => {
  it("goes on after a verification; until then why says what died, and of those behind that they wait for it", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const [first, second] = yield* two(projectId)
        yield* step(projectId)
        const letter = yield* buried("candidate.create")
        yield* carriedOn(projectId)
        const own = dead(letter, "candidate.create")
        expect(yield* laneWhy(first!.id)).toMatchObject({ state: "running", waits: own })
        expect(yield* laneWhy(second!.id)).toMatchObject({
          waits: { for: "ahead", changeId: first!.changeId },
          before: [{ waits: own }],
          expected: null
        })
        yield* decide(person, letter)
        yield* settle
        const end = how === "retried" ? landed : "rejected checks_could_not_run"
        expect((yield* outcome(projectId)).ends).toEqual([end, landed])
      })
    ))

  it.each([true, false])("goes on after a promotion, whether its Change is promoting: %s", (promoting) =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const [first, second] = yield* two(projectId)
        yield* carriedOn(projectId)
        const candidateId = (yield* demand("laneEntry", first!.id)).record.candidateId!
        if (promoting) yield* halfWay(candidateId)
        const letter = yield* buried("candidate.promote")
        expect((yield* demand("change", first!.changeId)).record.status === "promoting").toBe(promoting)
        expect((yield* laneWhy(first!.id))?.waits).toEqual(dead(letter, "candidate.promote"))
        expect((yield* laneWhy(second!.id))?.waits).toEqual({ for: "ahead", changeId: first!.changeId })
        yield* decide(person, letter)
        yield* settle
        expect((yield* outcome(projectId)).ends).toEqual([landed, landed])
      })
    )
  )

  it("goes on after the lane's own step, which until then is what everybody waits for", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const line = yield* two(projectId)
        const letter = yield* buried("lane.step")
        const waits = yield* Effect.forEach(line, ({ id }) => Effect.map(laneWhy(id), (each) => each?.waits))
        expect(waits).toEqual([dead(letter, "lane.step"), dead(letter, "lane.step")])
        yield* decide(person, letter)
        yield* settle
        expect((yield* outcome(projectId)).ends).toEqual([landed, landed])
      })
    ))
})

it("says of the lane's own step that it died only while there is something for it to do", () =>
  run(
    Effect.gen(function* () {
      const projectId = yield* laneProject()
      const [entry, behind] = yield* two(projectId)
      const letter = yield* buried("lane.step")
      yield* step(projectId)
      expect((yield* laneWhy(entry!.id))?.waits).toEqual({ for: "slot" })
      expect((yield* laneWhy(behind!.id))?.waits).toEqual({ for: "ahead", changeId: entry!.changeId })
      const { candidateId } = (yield* demand("laneEntry", entry!.id)).record
      expect((yield* why(candidateId!)).next).toMatchObject({ code: "dead_letter", id: letter })
    })
  ))
