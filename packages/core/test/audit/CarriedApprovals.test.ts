import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import * as Audits from "@pawl/core/audit/Audits"
import { idOf } from "@pawl/core/ledger/CommitRules"
import type { Candidate } from "@pawl/core/model/Candidate"
import type { Kind, RecordOf } from "@pawl/core/model/Entities"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { carryingProject, grant, granted, overtaken, own, rowsOf } from "../approval/CarryScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { type Tamper, tampered } from "./AuditCrimes.ts"

const forged = "f".repeat(64)

const changed =
  <K extends Kind>(kind: K, id: string, change: (record: RecordOf<K>) => RecordOf<K> | null): Tamper =>
  (each, record) =>
    (each as Kind) === kind && idOf(kind, record as never) === id
      ? (change(record as unknown as RecordOf<K>) as never)
      : record

const all =
  (...tampers: ReadonlyArray<Tamper>): Tamper =>
  (kind, record) =>
    tampers.reduce<typeof record | null>((found, tamper) => (found === null ? null : tamper(kind, found)), record)

/** A generation that stands on an approval which was carried over. */
const history = Effect.gen(function* () {
  const projectId = yield* carryingProject()
  const one = yield* granted(projectId)
  const again = yield* overtaken(projectId, one)
  const { generation } = yield* Promotions.promote(person, again.id)
  yield* settle
  return { projectId, one, again, generation }
})
type History = Effect.Success<typeof history>

const withDiff = (id: string, diff: string | null): Tamper =>
  changed("candidate", id, ({ diff: _, ...row }) => (diff === null ? row : { ...row, diff }) as Candidate)

const crimes: ReadonlyArray<{ readonly what: string; readonly tamper: (made: History) => Tamper }> = [
  {
    what: "it was derived from an approval of other blobs",
    tamper: ({ one }) => withDiff(one.id, forged)
  },
  {
    what: "rows say that other blobs were the same",
    tamper: ({ again, one }) =>
      all(
        withDiff(one.id, forged),
        withDiff(again.id, forged),
        changed("approval", again.id, (row) => ({ ...row, basis: forged }))
      )
  },
  {
    what: "what it is derived from is gone",
    tamper: ({ one }) => changed("approval", one.id, () => null)
  },
  {
    what: "another person gave what it is derived from",
    tamper: ({ one }) => changed("approval", one.id, (row) => ({ ...row, approver: "usr_other" }))
  },
  {
    what: "its basis is another one",
    tamper: ({ again }) => changed("approval", again.id, (row) => ({ ...row, basis: forged }))
  },
  {
    what: "the other Candidate was of another risk",
    tamper: ({ one }) => changed("candidate", one.id, (row) => ({ ...row, plan: { ...row.plan!, riskTier: "low" } }))
  },
  {
    what: "the Policy carries none",
    tamper: ({ again, projectId }) =>
      changed("policyVersion", `${projectId}/${again.plan!.policyVersion}`, (row) => ({
        ...row,
        lane: { mode: "off" }
      }))
  },
  {
    what: "a passkey must sign it",
    tamper: ({ again, projectId }) =>
      changed("policyVersion", `${projectId}/${again.plan!.policyVersion}`, (row) => ({
        ...row,
        approvalsSigned: ["medium"]
      }))
  }
]

describe("An audit of an approval that was carried over", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it.each(crimes)("names it when $what", ({ tamper }) =>
    run(
      Effect.gen(function* () {
        const made = yield* history
        const report = yield* Audits.examine(made.projectId).pipe(tampered(tamper(made)))
        expect(report.findings.filter(({ code }) => code === "approval_not_carried")[0]?.generation).toBe(
          made.generation
        )
      })
    )
  )

  it("names it when an approval of other blobs is written in as one that was carried over", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* carryingProject()
        const one = yield* granted(projectId)
        const again = yield* overtaken(projectId, one, [person], { "shared.js": own["shared.js"] })
        const [given] = yield* rowsOf(one)
        yield* grant(person, again)
        const { generation } = yield* Promotions.promote(person, again.id)
        yield* settle
        const basis = again.diff!
        const tamper = all(
          withDiff(one.id, basis),
          changed("approval", again.id, (row) => ({ ...row, derivedFrom: given!.id, basis }))
        )
        const report = yield* Audits.examine(projectId).pipe(tampered(tamper))
        expect(report.findings.map((each) => `S${each.generation} ${each.code}`)).toContain(
          `S${generation} approval_not_carried`
        )
      })
    ))
})
