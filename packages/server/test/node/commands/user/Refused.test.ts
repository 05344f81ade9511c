import { describe, expect, it } from "vitest"
import { ofProblem } from "../../../../src/node/commands/user/Refused.ts"

describe("How a verb ends that the server refused", () => {
  it.each([
    [401, "unauthenticated", 4],
    [403, "forbidden", 4],
    [404, "unknown_change", 1],
    [409, "stale", 5],
    [409, "blocked", 1],
    [412, "precondition_failed", 5],
    [400, "invalid_field", 2],
    [503, "unavailable", 2]
  ])("%s %s", (status, code, exitCode) => {
    expect(ofProblem(status, { code, detail: "no" })).toMatchObject({ code, exitCode })
  })

  it("leads on from an approval that is not owed to where the Candidate stands", () => {
    const commands = (candidateStatus: string) =>
      ofProblem(409, { code: "not_required", detail: "no", candidateId: "cand_1", candidateStatus })?.next.map(
        ({ command }) => command
      )
    expect([commands("verified"), commands("rejected")]).toEqual([["pawl promote cand_1"], ["pawl why cand_1"]])
  })
})
