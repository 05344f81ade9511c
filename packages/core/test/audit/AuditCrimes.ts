/** A history of every kind of promotion, and what somebody with the database's password might do to its records. */
import { Effect, Option } from "effect"
import * as Approvals from "@pawl/core/approval/Approvals"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import type { Stored } from "@pawl/core/ledger/Commit"
import { idOf } from "@pawl/core/ledger/CommitRules"
import type { Kind, RecordOf } from "@pawl/core/model/Entities"
import { Records } from "@pawl/core/ledger/Records"
import { statementKey, type StatementKind } from "@pawl/core/model/Statement"
import type { FindingCode } from "@pawl/core/model/Audit"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { person, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject, opened } from "../kit/Scenes.ts"

const live = (candidateId: string) => Effect.andThen(Promotions.promote(person, candidateId), settle)

/** A Candidate of two edits that know nothing of each other. */
const twoEdits = (projectId: string) =>
  Effect.gen(function* () {
    const change = yield* opened(projectId, "one")
    for (const files of [{ "a.js": "one" }, { "b.js": "one" }] as const)
      yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files, baseGeneration: 0 })
    const { candidate } = yield* Candidates.request(person, { changeId: change.id })
    yield* settle
    return candidate
  })

/** S0, a medium Change of two edits, one that owed an approval, and a rollback to S1: all live. */
export const history = Effect.gen(function* () {
  const project = yield* newProject()
  const one = yield* twoEdits(project.id)
  yield* live(one.id)
  const two = yield* candidateOf(project.id, "two", { "migrations/2.sql": "two" })
  yield* Approvals.decide(person, { changeId: two.changeId, candidateId: two.id, decision: "granted" })
  yield* live(two.id)
  const back = yield* Rollbacks.request(person, { projectId: project.id, targetGeneration: 1, expectedGeneration: 2 })
  yield* settle
  yield* Approvals.decide(person, {
    changeId: back.change.id,
    candidateId: back.candidate.id,
    decision: "granted"
  })
  yield* live(back.candidate.id)
  return { projectId: project.id, one: one.id, two: two.id, back: back.candidate.id }
})
export type History = Effect.Success<typeof history>

/** The records as they are after somebody wrote to the database: `null` removes one. */
export type Tamper = <K extends Kind>(kind: K, record: RecordOf<K>) => RecordOf<K> | null

export const tampered =
  (tamper: Tamper) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(Records, (records) => {
      const altered = <K extends Kind>(kind: K, stored: Stored<RecordOf<K>>) => {
        const record = tamper(kind, stored.record)
        return record === null ? [] : [{ ...stored, record }]
      }
      return Effect.provideService(work, Records, {
        get: (kind, id) =>
          Effect.map(records.get(kind, id), (found) =>
            Option.flatMap(found, (stored) => Option.fromNullishOr(altered(kind, stored)[0]))
          ),
        many: (kind, ids) =>
          Effect.map(
            records.many(kind, ids),
            (found) =>
              new Map(
                Array.from(found).flatMap(([id, stored]) => altered(kind, stored).map((each) => [id, each] as const))
              )
          ),
        list: (kind, listing) =>
          Effect.map(records.list(kind, listing), (found) => ({
            ...found,
            items: found.items.flatMap((stored) => altered(kind, stored))
          })),
        // No audit counts.
        counts: records.counts
      })
    })

/** Alters one record. */
export const alter =
  <K extends Kind>(kind: K, id: (made: History) => string, change: (record: RecordOf<K>) => RecordOf<K> | null) =>
  (made: History): Tamper =>
  (each, record) =>
    (each as Kind) === kind && idOf(kind, record) === id(made)
      ? (change(record as unknown as RecordOf<K>) as never)
      : record

export const other = "0123456789".repeat(4)
const step = (generation: number) => (made: History) => `${made.projectId}/${generation}`
const inProject = (made: History) => made.projectId

const strangeUser = "usr_00000000-0000-4000-8000-00000000dead"

const isOf = (record: object, kind: StatementKind, generation: number): boolean =>
  "kind" in record && record.kind === kind && "generation" in record && record.generation === generation

export interface Crime {
  readonly what: string
  readonly tamper: (made: History) => Tamper
  readonly generation: number
  readonly code: FindingCode
}

export const crimes: ReadonlyArray<Crime> = [
  {
    what: "a generation is removed",
    tamper: alter("generation", step(2), () => null),
    generation: 2,
    code: "history_gap"
  },
  {
    what: "a generation is put in place of another",
    tamper: alter("generation", step(2), (row) => ({ ...row, generation: 1 })),
    generation: 2,
    code: "generation_mismatch"
  },
  {
    what: "the commit of a generation is changed",
    tamper: alter("generation", step(1), (row) => ({ ...row, commit: other })),
    generation: 1,
    code: "commit_missing"
  },
  {
    what: "the tree of a generation is changed",
    tamper: alter("generation", step(1), (row) => ({ ...row, tree: other })),
    generation: 1,
    code: "commit_tree_mismatch"
  },
  {
    what: "who triggered a generation is changed",
    tamper: alter("generation", step(3), (row) => ({ ...row, trigger: "user" })),
    generation: 3,
    code: "trigger_mismatch"
  },
  {
    what: "the head is moved back",
    tamper: alter("head", inProject, (row) => ({ ...row, generation: 2 })),
    generation: 2,
    code: "history_beyond_head"
  },
  {
    what: "the head is put on another commit",
    tamper: alter("head", inProject, (row) => ({ ...row, commit: other })),
    generation: 3,
    code: "head_mismatch"
  },
  {
    what: "a Candidate is removed",
    tamper: alter(
      "candidate",
      (made) => made.one,
      () => null
    ),
    generation: 1,
    code: "candidate_missing"
  },
  {
    what: "a Candidate was never promoted",
    tamper: alter(
      "candidate",
      (made) => made.one,
      (row) => ({ ...row, status: "rejected" })
    ),
    generation: 1,
    code: "candidate_not_promoted"
  },
  {
    what: "a Candidate's base is changed",
    tamper: alter(
      "candidate",
      (made) => made.two,
      (row) => ({ ...row, baseTree: other })
    ),
    generation: 2,
    code: "candidate_base_mismatch"
  },
  {
    what: "a Candidate's tree is changed",
    tamper: alter(
      "candidate",
      (made) => made.one,
      (row) => ({ ...row, tree: other })
    ),
    generation: 1,
    code: "candidate_result_mismatch"
  },
  {
    what: "a ChangeSet is left out of a Candidate",
    tamper: (made) => (kind, record) =>
      kind === "changeSet" && "commit" in record && "changeId" in record && made.projectId === record.projectId
        ? ({ ...record, commit: (record as { baseCommit: string }).baseCommit } as typeof record)
        : record,
    generation: 1,
    code: "composition_mismatch"
  },
  {
    what: "a ChangeSet is removed",
    tamper: () => (kind, record) => (kind === "changeSet" ? null : record),
    generation: 1,
    code: "changeset_mismatch"
  },
  {
    what: "a Change is said to have failed",
    tamper: () => (kind, record) => (kind === "change" ? { ...record, status: "cancelled" } : record),
    generation: 1,
    code: "change_mismatch"
  },
  {
    what: "a release is put on another commit",
    tamper: alter(
      "release",
      (made) => `rel_${made.projectId}_1`,
      (row) => ({ ...row, commit: other })
    ),
    generation: 1,
    code: "release_mismatch"
  },
  {
    what: "a rollback's target is changed",
    tamper: () => (kind, record) =>
      kind === "change" && "rollbackTarget" in record ? { ...record, rollbackTarget: 0 } : record,
    generation: 3,
    code: "rollback_tree_mismatch"
  },
  {
    what: "a plan is removed",
    tamper: alter(
      "candidate",
      (made) => made.one,
      (row) => ({ ...row, plan: null })
    ),
    generation: 1,
    code: "plan_missing"
  },
  {
    what: "a check is taken out of a plan",
    tamper: alter(
      "candidate",
      (made) => made.one,
      (row) => ({
        ...row,
        plan: { ...row.plan!, checks: row.plan!.checks.filter((check) => check.id !== "test") }
      })
    ),
    generation: 1,
    code: "plan_weakened"
  },
  {
    what: "a row of evidence says that it failed",
    tamper: () => (kind, record) =>
      kind === "evidence" && "checkId" in record && record.checkId === "test"
        ? { ...record, result: "fail", status: "checked_unsupported" }
        : record,
    generation: 1,
    code: "check_unsatisfied"
  },
  {
    what: "evidence is removed",
    tamper: () => (kind, record) => (kind === "evidence" ? null : record),
    generation: 1,
    code: "evidence_ids_mismatch"
  },
  {
    what: "the digest of an output is changed",
    tamper: () => (kind, record) => (kind === "evidence" ? { ...record, outputDigest: "0".repeat(64) } : record),
    generation: 1,
    code: "evidence_output_mismatch"
  },
  {
    what: "an approval is removed",
    tamper: alter(
      "approval",
      (made) => made.two,
      () => null
    ),
    generation: 2,
    code: "approval_missing"
  },
  {
    what: "an approval was of another tree",
    tamper: alter(
      "approval",
      (made) => made.two,
      (row) => ({ ...row, tree: other })
    ),
    generation: 2,
    code: "approval_mismatch"
  },
  {
    what: "an approval was a rejection",
    tamper: alter(
      "approval",
      (made) => made.back,
      (row) => ({ ...row, decision: "rejected" })
    ),
    generation: 3,
    code: "approval_mismatch"
  },
  {
    what: "the approval of a rollback is removed, and that it was owed",
    tamper: (made) => (kind, record) => {
      if (kind === "approval" && idOf(kind, record) === made.back) return null
      if (kind !== "candidate" || idOf(kind, record) !== made.back || !("baseTree" in record)) return record
      return { ...record, plan: { ...record.plan!, approvalRequired: false, riskTier: "low" } }
    },
    generation: 3,
    code: "approval_missing"
  },
  {
    what: "a version of the Policy is removed",
    tamper: () => (kind, record) => (kind === "policyVersion" ? null : record),
    generation: 1,
    code: "policy_mismatch"
  },
  {
    what: "when somebody approved is changed",
    tamper: alter(
      "approval",
      (made) => made.two,
      (row) => ({ ...row, decidedAt: "2020-01-01T00:00:00.000Z" })
    ),
    generation: 2,
    code: "statement_mismatch"
  },
  {
    what: "who promoted is changed, in the record and in its statement",
    tamper: (made) => (kind, record) =>
      kind === "generation" && idOf(kind, record) === `${made.projectId}/1`
        ? { ...record, actor: { type: "user", id: strangeUser } }
        : kind === "statement" && isOf(record, "promotion", 1)
          ? { ...record, payload: String("payload" in record && record.payload).replaceAll(person.id, strangeUser) }
          : record,
    generation: 1,
    code: "chain_mismatch"
  },
  {
    what: "a statement is removed",
    tamper: alter(
      "statement",
      (made) => statementKey(made.projectId, 1),
      () => null
    ),
    generation: 0,
    code: "statement_missing"
  },
  {
    what: "the newest statements are cut off",
    tamper: alter("chain", inProject, (row) => ({ ...row, size: 3 })),
    generation: 3,
    code: "statement_missing"
  },
  {
    what: "the end of a chain is changed",
    tamper: alter("chain", inProject, (row) => ({ ...row, edge: [...row.edge, row.edge[0] ?? ""] })),
    generation: 3,
    code: "chain_mismatch"
  }
]
