import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Audits from "@pawl/core/audit/Audits"
import { inClosed } from "../kit/ClosedSandbox.ts"
import { answers, page } from "../kit/MemoryPawl.ts"
import { tampered } from "./AuditCrimes.ts"
import { repeatedHistory, reuseCrimes } from "./ReuseCrimes.ts"

const codesAt = ({ findings }: Effect.Success<ReturnType<typeof Audits.examine>>) =>
  findings.map(({ code, generation }) => `S${generation} ${code}`)

describe("An audit of evidence that repeats other evidence", () => {
  it("finds nothing while it may, of the same tree and of the same inputs", () =>
    inClosed(() =>
      Effect.gen(function* () {
        answers.set("/", page(200))
        const { byInputs, byTree, projectId } = yield* repeatedHistory
        expect([byTree["build"], byTree["test"], byInputs["test"]].map((row) => row?.reuses)).not.toContain(undefined)
        expect((yield* Audits.examine(projectId)).findings).toEqual([])
      })
    ))

  it.each(reuseCrimes)("names it when $what", ({ code, generation, tamper }) =>
    inClosed(() =>
      Effect.gen(function* () {
        answers.set("/", page(200))
        const made = yield* repeatedHistory
        const report = yield* Audits.examine(made.projectId).pipe(tampered(tamper(made)))
        expect(codesAt(report)).toContain(`S${generation} ${code}`)
      })
    )
  )
})
