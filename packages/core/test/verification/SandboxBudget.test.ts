import { Effect } from "effect"
import { expect, it } from "vitest"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject } from "../kit/Scenes.ts"

const month = Effect.map(Time.now, (now) => `${now.slice(0, 7)}-01`)

it("counts what checks take, and rejects a Candidate that finds nothing left of the month until it is asked again", () =>
  run(
    Effect.gen(function* () {
      const counter = yield* DailyCounter
      const project = yield* newProject()
      yield* candidateOf(project.id, "r1", { "a.txt": "a" })
      const day = yield* month
      expect(yield* counter.used("sandbox-ms", day)).toBe(1)
      yield* counter.add("sandbox-ms", day, Limits.sandboxMsPerMonth)
      const late = yield* candidateOf(project.id, "r2", { "b.txt": "b" })
      expect(late).toMatchObject({
        status: "rejected",
        reason: "no sandbox budget: checks have run for all 5 hours of this month"
      })
      const again = yield* Candidates.request(person, { changeId: late.changeId, retry: true })
      expect(again).toMatchObject({ created: true, candidate: { attempt: 2 } })
      yield* settle
      expect((yield* demand("candidate", again.candidate.id)).record.status).toBe("rejected")
    })
  ))
