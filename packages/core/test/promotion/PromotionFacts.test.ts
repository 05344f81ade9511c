import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { noGrounds } from "@pawl/core/approval/Grounds"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as Changes from "@pawl/core/change/Changes"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import { canonicalJson, sha256AtOnce } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Projects from "@pawl/core/project/Projects"
import { promotionFact } from "@pawl/core/promotion/PromotionFacts"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { answers, organizationId, page, person, run, settle } from "../kit/MemoryPawl.ts"

const files = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "node --test" }], probes: [{ path: "/" }] }),
  "src/index.js": "export default { fetch: () => new Response('one') }",
  "result.txt": "fine"
}

/** A generation that was promoted, and all that its statement is made of. */
const promoted = Effect.gen(function* () {
  const project = yield* Projects.create(person, { organizationId, slug: "corner", files })
  yield* settle
  const asked = { projectId: project.id, clientRequestId: "r1", goal: "a goal", budgetUsd: 1 }
  const { change } = yield* Changes.open(person, asked)
  yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files: { "src/a.js": "export {}\n" } })
  const { id } = (yield* Candidates.request(person, { changeId: change.id })).candidate
  yield* settle
  yield* Promotions.promote(person, id)
  const candidate = (yield* demand("candidate", id)).record
  return {
    step: (yield* demand("generation", `${project.id}/1`)).record,
    candidate,
    change,
    made: candidate.made ?? [],
    policy: (yield* demand("policyVersion", `${project.id}/1`)).record,
    evidence: yield* evidenceOf(id),
    approvals: [],
    grounds: noGrounds.of
  }
})

describe("The statement of a promotion", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("names who made it, and where there is no room for all of them how many, and the digest of their list", () =>
    run(
      Effect.gen(function* () {
        const whole = yield* promoted
        const { made } = whole
        const factsOf = (many: number) => {
          const list = Array.from({ length: many }, () => made).flat()
          return { list, facts: promotionFact({ ...whole, made: list }, whole.candidate.plan!).facts }
        }
        const [few, many] = [factsOf(20), factsOf(400)]
        expect(made.length).toBe(1)
        expect(few.facts.made).toEqual(few.list)
        expect(few.facts.madeOf).toBeUndefined()
        const text = canonicalJson(many.list)
        expect(text.length).toBeGreaterThan(Limits.statementListBytes)
        expect(many.facts).toMatchObject({ made: [], madeOf: { count: 400, sha256: sha256AtOnce(text) } })
      })
    ))
})
