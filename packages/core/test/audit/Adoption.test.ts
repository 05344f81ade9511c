import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Apps from "@pawl/core/app/Apps"
import * as Adoption from "@pawl/core/audit/Adoption"
import * as Audits from "@pawl/core/audit/Audits"
import * as Policies from "@pawl/core/approval/Policies"
import { demand, find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import * as Archival from "@pawl/core/project/Archival"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { why } from "@pawl/core/why/Why"
import { history } from "./AuditCrimes.ts"
import { beforeStatements } from "../kit/BeforeStatements.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { looking } from "../kit/Looking.ts"
import { pointerOf } from "../kit/ReleaseScenes.ts"
import { candidateOf } from "../kit/Scenes.ts"

const statementsOf = (projectId: string) =>
  Effect.flatMap(Records, (records) => records.list("statement", { projectId, limit: "all" })).pipe(
    Effect.map(({ items }) => items)
  )

const told = (projectId: string) =>
  Effect.map(statementsOf(projectId), (items) => items.map(({ record }) => `${record.kind} ${record.generation ?? ""}`))

describe("A Project that is older than statements", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("states nothing until it is adopted, and then all that it did, marked as told later", () =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* beforeStatements(history)
        yield* Policies.change(person, projectId, { allowSelfApproval: true })
        const next = yield* candidateOf(projectId, "next", { "c.js": "three" })
        yield* Promotions.promote(person, next.id)
        yield* settle
        expect([yield* find("chain", projectId), yield* told(projectId)]).toEqual([null, []])
        yield* Adoption.requestAdoptions
        yield* settle
        const rows = yield* statementsOf(projectId)
        expect(yield* told(projectId)).toEqual([
          "policy ",
          "policy ",
          "adopted 4",
          ...[0, 1, 2, 3, 4].map((generation) => `promotion ${generation}`)
        ])
        expect(rows.every(({ record }) => record.signature !== null)).toBe(true)
        const said = rows
          .filter(({ record }) => record.kind === "promotion")
          .map(({ record }) => JSON.parse(record.payload))
        const steps = yield* Effect.forEach([0, 1, 2, 3, 4], (n) => demand("generation", `${projectId}/${n}`))
        expect(said.map(({ predicate }) => predicate.adopted)).toEqual(
          steps.map(({ record: { promotedAt } }) => ({ promotedAt }))
        )
        expect(yield* Audits.examine(projectId)).toMatchObject({ findings: [], notes: [] })
      })
    ))

  it("goes on with statements of its own, and is adopted once", () =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* beforeStatements(history)
        yield* Adoption.adopt(projectId)
        const adopted = yield* told(projectId)
        yield* Adoption.adopt(projectId)
        yield* Adoption.requestAdoptions
        yield* settle
        expect(yield* told(projectId)).toEqual(adopted)
        const next = yield* candidateOf(projectId, "next", { "c.js": "three" })
        yield* Promotions.promote(person, next.id)
        yield* settle
        expect((yield* told(projectId)).slice(adopted.length)[0]).toBe("promotion 4")
        expect(yield* Audits.examine(projectId)).toMatchObject({ findings: [], notes: [] })
      })
    ))

  it("has the version that is live stated when it is deployed again, which is then no doubt any more", () =>
    run(
      Effect.gen(function* () {
        const { back, projectId } = yield* beforeStatements(history)
        yield* Adoption.adopt(projectId)
        yield* settle
        expect((yield* pointerOf(projectId)).provenance ?? null).toBeNull()
        const older = { of: "router", problem: "live_unstated", serves: 3, holdsBack: false, older: true }
        expect(yield* looking("warn", why(back))).toMatchObject({ doubt: older, next: { code: "promoted" } })
        expect(yield* looking("enforce", why(back))).toMatchObject({
          doubt: { holdsBack: true },
          next: { code: "doubted" }
        })
        yield* Apps.deploy(projectId)
        yield* settle
        const { bundleDigest, provenance } = yield* pointerOf(projectId)
        expect(provenance).toMatchObject({ epoch: 1, envelope: expect.any(String) })
        const [said] = (yield* statementsOf(projectId)).filter(({ record }) => record.kind === "release")
        expect(JSON.parse(said?.record.payload ?? "")).toMatchObject({
          subject: [{ name: "bundle.json", digest: { sha256: bundleDigest } }],
          predicate: { generation: 3, entry: provenance?.entry }
        })
        for (const mode of ["warn", "enforce"] as const) expect((yield* looking(mode, why(back))).doubt).toBeNull()
        // Once is enough.
        yield* Apps.deploy(projectId)
        yield* settle
        expect((yield* told(projectId)).filter((each) => each.startsWith("release"))).toEqual(["release 3"])
        expect(yield* Audits.examine(projectId)).toMatchObject({ findings: [], notes: [] })
      })
    ))

  it("is adopted to the end when that was cut short, whatever came between", () =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* beforeStatements(history)
        const ledger = yield* Ledger
        const cut = Effect.provideService(Adoption.adopt(projectId), Ledger, {
          ...ledger,
          commit: (commit) => (commit.name === "Adoption.adopt" ? Effect.die("killed") : ledger.commit(commit))
        })
        yield* Effect.exit(cut)
        expect((yield* statementsOf(projectId)).length).toBeGreaterThan(0)
        expect(yield* find("chain", projectId)).toBeNull()
        yield* Policies.change(person, projectId, { allowSelfApproval: true })
        yield* Adoption.adopt(projectId)
        yield* settle
        expect((yield* told(projectId)).slice(0, 4)).toEqual(["policy ", "policy ", "adopted 3", "promotion 0"])
        expect(yield* Audits.examine(projectId)).toMatchObject({ findings: [], notes: [] })
      })
    ))

  it("is adopted when it was archived before, and counts as not clean: what it held is gone", () =>
    run(
      Effect.gen(function* () {
        const { projectId } = yield* beforeStatements(history)
        yield* beforeStatements(Archival.archive(person, projectId))
        yield* beforeStatements(settle)
        yield* Adoption.requestAdoptions
        yield* settle
        expect(yield* told(projectId)).toEqual([
          "policy ",
          "adopted 3",
          ...[0, 1, 2, 3].map((generation) => `promotion ${generation}`)
        ])
        const rows = yield* statementsOf(projectId)
        const adopted = rows.find(({ record }) => record.kind === "adopted")
        expect(JSON.parse(adopted?.record.payload ?? "").predicate).toMatchObject({ generation: 3, clean: false })
        expect(rows.every(({ record }) => record.signature !== null)).toBe(true)
        yield* Adoption.requestAdoptions
        yield* settle
        expect(yield* told(projectId)).toHaveLength(6)
      })
    ))
})
