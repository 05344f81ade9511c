/** What is tried with what a Policy allows: retries of failures, freezes, and approvals that are carried over. */
import type { Pack } from "./Packs.ts"
import { candidateOf, odd, owner } from "./SceneParts.ts"
import type { Scene } from "./Scenes.ts"
import { restate, type Tampering } from "./Tampering.ts"
import { about, changeRecord, evidenceOf, type Json, promotionOf, rewrite } from "./Thieves.ts"

const test = 1
const checked = `predicate.checks.${test}`

const failureIn = (pack: Pack): string => `evidence ${promotionOf(pack, odd.retried).text(`${checked}.retryOf.id`)}`

/** Changes the row of the failure that was retried, and states it anew. */
const failure =
  (change: (row: Json) => void) =>
  (pack: Pack, scene: Scene): void => {
    const record = changeRecord(pack, failureIn(pack), change)
    rewrite(scene, pack, (all) => about(all, odd.retried).set(`${checked}.retryOf.record`, record))
  }

/** Changes the row of the retry, and states it anew. */
const retry =
  (change: (row: Json) => void) =>
  (pack: Pack, scene: Scene): void => {
    const record = changeRecord(pack, evidenceOf(pack, odd.retried, test), change)
    rewrite(scene, pack, (all) => about(all, odd.retried).set(`${checked}.record`, record))
  }

/** Changes the plan that allowed the retry, and states it anew. */
const plan =
  (change: (row: Json) => void) =>
  (pack: Pack, scene: Scene): void => {
    const record = changeRecord(pack, `plan ${candidateOf(odd.retried)}`, change)
    rewrite(scene, pack, (all) => about(all, odd.retried).set("predicate.plan", record))
  }

const thefts: ReadonlyArray<Omit<Tampering, "number">> = [
  ...(
    [
      ["a retry of what did not fail", failure((row) => row.set("result", "pass"))],
      ["a retry of a failure on another tree", failure((row) => row.set("tree", "0".repeat(40)))],
      ["a retry of another check's failure", failure((row) => row.set("checkId", "lint"))],
      [
        "a retry of another Candidate's failure",
        failure((row) => row.set("subject.candidateId", candidateOf(odd.sbom)))
      ],
      ["a second retry", failure((row) => row.set("retryOf", "evd_0"))],
      ["a retry before the failure", retry((row) => row.set("attempt", 1))]
    ] as const
  ).map(([name, change]) => ({ name, code: "evidence_retry_mismatch" as const, change })),
  {
    name: "a failure that was retried, gone",
    code: "record_missing",
    change: (pack) => void pack.records.delete(failureIn(pack))
  },
  {
    name: "a failure that was retried, changed",
    code: "record_mismatch",
    change: (pack) => void changeRecord(pack, failureIn(pack), (row) => row.set("summary", "other words"))
  },
  {
    name: "a retry that is not said to be one",
    code: "evidence_of_other",
    change: restate(odd.retried, (statement) => statement.drop(`${checked}.retryOf`))
  },
  {
    name: "a retry that no plan allowed",
    code: "check_unsatisfied",
    change: plan((row) => row.drop("flakeRetries"))
  },
  {
    name: "a promotion in a freeze",
    code: "promoted_while_frozen",
    change: restate(odd.excepted, (statement) => statement.set("predicate.actor.id", owner))
  },
  {
    name: "an approval carried over where a passkey must sign",
    code: "approval_not_carried",
    change: restate(odd.carried, (statement) => statement.set("predicate.candidate.risk", "high"))
  }
]

/** All of them, numbered from here on. */
export const policyThefts = (first: number): ReadonlyArray<Tampering> =>
  thefts.map((theft, index) => ({ ...theft, number: first + index }))
