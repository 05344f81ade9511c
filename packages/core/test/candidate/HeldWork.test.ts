import { Effect } from "effect"
import { beforeEach, expect, it } from "vitest"
import { shown, withHeldWork } from "@pawl/core/candidate/HeldWork"
import { demand } from "@pawl/core/ledger/Decision"
import { answers, page, person, run } from "../kit/MemoryPawl.ts"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { carriedOn, entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

it("is that of all that stand before a Candidate and have not landed, down to canonical, and of no others", () =>
  run(
    Effect.gen(function* () {
      const projectId = yield* laneProject()
      const names = ["a", "b", "c"]
      const line = yield* Effect.forEach(names, (name) => entered(projectId, name, { [`${name}.txt`]: name }))
      yield* carriedOn(projectId)
      const candidates = yield* Effect.forEach(line, ({ id }) =>
        Effect.gen(function* () {
          const { candidateId } = (yield* demand("laneEntry", id)).record
          return (yield* demand("candidate", candidateId!)).record
        })
      )
      const [a, b] = line.map(({ changeId }) => changeId)
      expect((yield* withHeldWork(candidates)).map(({ on }) => on)).toEqual([undefined, [a], [b, a]])
      yield* Promotions.promote(person, candidates[0]!.id)
      expect((yield* withHeldWork(candidates)).map(({ on }) => on)).toEqual([undefined, undefined, [b]])
      yield* Promotions.promote(person, candidates[1]!.id)
      expect(yield* shown(candidates[2]!)).toEqual(candidates[2])
    })
  ))
