import { depth, rounds, seed } from "@pawl/testing/Depth"
import * as FastCheck from "fast-check"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Policies from "@pawl/core/approval/Policies"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import * as Audits from "@pawl/core/audit/Audits"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { newProject, opened } from "../kit/Scenes.ts"

const file = FastCheck.constantFrom("a.md", "b.js", "src/c.js", "migrations/1.sql", "result.txt")
const edit = FastCheck.record({ file, content: FastCheck.constantFrom("one", "two", "three", "broken") })

/** One thing that a person does; numbers choose among what there is. */
const act = FastCheck.oneof(
  { weight: 4, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Change" as const), edits: edits() }) },
  {
    weight: 4,
    arbitrary: FastCheck.record({ _tag: FastCheck.constant("Promote" as const), which: FastCheck.nat(20) })
  },
  { weight: 2, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Rollback" as const), back: FastCheck.nat(3) }) },
  {
    weight: 1,
    arbitrary: FastCheck.record({ _tag: FastCheck.constant("Policy" as const), auto: FastCheck.boolean() })
  },
  {
    weight: 1,
    arbitrary: FastCheck.record({
      _tag: FastCheck.constant("Breakage" as const),
      status: FastCheck.constantFrom(200, 500)
    })
  },
  { weight: 3, arbitrary: FastCheck.record({ _tag: FastCheck.constant("Settle" as const) }) }
)
type Act = typeof act extends FastCheck.Arbitrary<infer A> ? A : never

function edits() {
  return FastCheck.array(FastCheck.tuple(edit, FastCheck.boolean()), { minLength: 1, maxLength: 3 })
}

const perform = (projectId: string, each: Act, n: number) =>
  Effect.gen(function* () {
    const records = yield* Records
    const head = (yield* demand("head", projectId)).record
    switch (each._tag) {
      case "Change": {
        const change = yield* opened(projectId, `change ${n}`)
        for (const [{ content, file: path }, fromHead] of each.edits)
          yield* ChangeSets.record(person, {
            changeId: change.id,
            message: "edit",
            files: { [path]: `${content} ${n}` },
            ...(fromHead ? { baseGeneration: head.generation } : {})
          })
        yield* Candidates.request(person, { changeId: change.id })
        return
      }
      case "Promote": {
        const open = yield* records.list("candidate", { projectId, where: { status: "verified" }, limit: "all" })
        const candidate = open.items[each.which % Math.max(1, open.items.length)]?.record
        if (candidate === undefined) return
        const { changeId, id } = candidate
        yield* Effect.ignore(Approvals.decide(person, { changeId, candidateId: id, decision: "granted" }))
        yield* Effect.ignore(Promotions.promote(person, id))
        return
      }
      case "Rollback": {
        const targetGeneration = head.generation - 1 - each.back
        yield* Effect.ignore(
          Rollbacks.request(person, { projectId, targetGeneration, expectedGeneration: head.generation })
        )
        return
      }
      case "Policy":
        yield* Policies.change(person, projectId, each.auto ? { autoPromoteRiskTiers: ["low", "medium"] } : {})
        return
      case "Breakage":
        answers.set("/", page(each.status))
        return
      case "Settle":
        yield* settle
    }
  }).pipe(
    // An edit that changes nothing, or on a Change that went out by itself, is refused; the history goes on.
    Effect.ignore
  )

describe("An audit after random histories", () => {
  it("finds nothing in what real promotions, rollbacks and recompositions leave behind", async () => {
    const histories = rounds({ quick: 15, deep: 100, long: 1200 })
    let [generations, rollbacks] = [0, 0]
    await FastCheck.assert(
      FastCheck.asyncProperty(FastCheck.array(act, { minLength: 15, maxLength: 40, size: "max" }), (acts) =>
        run(
          Effect.gen(function* () {
            answers.set("/", page(200))
            const project = yield* newProject()
            for (const [n, each] of acts.entries()) yield* perform(project.id, each, n)
            const during = yield* Audits.examine(project.id)
            yield* settle
            const after = yield* Audits.examine(project.id)
            // What was done just now may wait for its signature.
            const waiting = during.notes.filter(({ code }) => code === "statement_unsigned")
            expect(during).toMatchObject({ findings: [], moreFindings: 0, notes: waiting })
            expect(after).toMatchObject({ findings: [], moreFindings: 0, notes: [] })
            generations += after.generations - 1
            const rows = yield* (yield* Records).list("generation", { projectId: project.id, limit: "all" })
            rollbacks += rows.items.filter(({ record }) => record.trigger === "rollback").length
          })
        )
      ),
      { numRuns: histories, seed }
    )
    console.log(`${generations} promotions audited, ${rollbacks} of them rollbacks`)
    expect(generations).toBeGreaterThan(histories / 3)
    // Rollbacks are rare, about one in five histories: a quick run may have none.
    if (depth !== "quick") expect(generations).toBeGreaterThan(60)
    if (depth !== "quick") expect(rollbacks).toBeGreaterThan(5)
  }, 1_100_000)
})
