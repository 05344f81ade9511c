/**
 * What a thief can try who has the keys of statements and log, and writes all anew: 33 to 58 of the threat table.
 */
import { about, approvalOf, changeKey, type Json, rewrite, shaOf } from "./Thieves.ts"
import { bundleSha, reapprove, restate, type Tampering } from "./Tampering.ts"
import { utf8 } from "@pawl/core/primitives/Digest"
import { newPasskey, newStatementKey, type SceneKey, signatureOf } from "./SceneKeys.ts"
import { odd, site } from "./SceneParts.ts"
import { approvalText } from "./SceneRecords.ts"

const late = "2026-12-01T00:00:00.000Z"
const past = "2020-01-01T00:00:00.000Z"

/** The entry of the key history tells of another key. */
const named = (statement: Json, { keyid, spki }: SceneKey): void => {
  statement.set("predicate.keyid", keyid)
  statement.set("predicate.spki", spki)
}

/** By number. */
export const keyThefts: ReadonlyArray<Tampering> = [
  {
    number: 33,
    name: "history written anew, where somebody has a checkpoint",
    code: "history_rewritten",
    change: (pack, scene) => {
      pack.seen = pack.checkpoint
      restate(4, (statement) => statement.set("predicate.actor.id", "usr_other"))(pack, scene)
    }
  },
  {
    number: 34,
    name: "a tree that nobody verified, as the next generation",
    code: "evidence_of_other",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => {
        const statement = about(all, 29).copy()
        const digest = { gitCommit: "b".repeat(40), gitTree: "a".repeat(40), dirHash: "a".repeat(64) }
        const base = { generation: 29, digest: about(all, 29).get("subject.0.digest") }
        statement.set("subject.0", { name: `${scene.project}/S30`, digest })
        for (const [name, value] of Object.entries({ generation: 30, base, at: late }))
          statement.set(`predicate.${name}`, value)
        all.push(statement)
      })
  },
  {
    number: 35,
    name: "evidence of another tree",
    code: "evidence_of_other",
    change: restate(27, (statement, all) => statement.set("predicate.checks", about(all, 28).get("predicate.checks")))
  },
  {
    number: 36,
    name: "high risk without an approval",
    code: "approval_missing",
    change: restate(25, (statement) => {
      statement.set("predicate.approvals", [])
      statement.set("predicate.approvalsRequired", 0)
    })
  },
  {
    number: 37,
    name: "an approval of another tree",
    code: "approval_other_tree",
    change: restate(25, (statement, all) =>
      statement.set("predicate.approvals", about(all, 5).get("predicate.approvals"))
    )
  },
  {
    number: 38,
    name: "an author approves the own Change",
    code: "self_approval",
    change: reapprove(25, (row, scene) => {
      row.set("approver", scene.author)
      row.drop("passkey")
    })
  },
  {
    number: 39,
    name: "an approval forged, the passkey's signature kept",
    code: "approval_signature_invalid",
    change: reapprove(25, (row) => row.set("changeId", "chg_00000000-0000-4000-8000-000000009999"))
  },
  {
    number: 40,
    name: "an approval by a passkey that nobody enrolled",
    code: "approver_unknown",
    change: async (pack, scene) => {
      const passkey = await newPasskey(site)
      const approval: unknown = JSON.parse(pack.records.get(approvalOf(pack, 25))!)
      const answer = await passkey.get(approvalText(approval))
      reapprove(25, (row) => row.set("passkey", answer))(pack, scene)
    }
  },
  {
    number: 41,
    name: "a check that failed, counted",
    code: "check_unsatisfied",
    change: restate(odd.waived, (statement) => statement.drop("predicate.checks.1.waived"))
  },
  {
    number: 42,
    name: "a required check left out",
    code: "check_missing",
    change: restate(26, (statement) => statement.drop("predicate.checks.1"))
  },
  {
    number: 43,
    name: "a waiver that had ended",
    code: "waiver_expired",
    change: restate(odd.waived, (statement) => statement.set("predicate.checks.1.waived.until", past))
  },
  {
    number: 44,
    name: "an older Policy put back",
    code: "policy_rolled_back",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => {
        const statement = all[0]!.copy()
        statement.set("predicate.at", late)
        all.push(statement)
      })
  },
  {
    number: 45,
    name: "a Policy that was never stated",
    code: "policy_mismatch",
    change: restate(26, (statement) => statement.set("predicate.policy.version", 9))
  },
  {
    number: 46,
    name: "a base that is not the generation before",
    code: "base_mismatch",
    change: restate(26, (statement, all) => statement.set("predicate.base", about(all, 25).get("predicate.base")))
  },
  {
    number: 47,
    name: "a generation left out",
    code: "generation_gap",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => {
        for (const kind of ["outcome", "release", "promotion"] as const)
          all.splice(all.indexOf(about(all, 26, kind)), 1)
      })
  },
  {
    number: 48,
    name: "a rollback to another tree than it says",
    code: "rollback_tree_mismatch",
    change: restate(odd.rollback, (statement) => statement.set("predicate.rollbackTo", 14))
  },
  {
    number: 49,
    name: "a release of a bundle that was never promoted",
    code: "release_not_promoted",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => about(all, 28, "release").set("subject.0.digest", bundleSha(all, 27)))
  },
  {
    number: 50,
    name: "a bundle that is not the build's",
    code: "bundle_not_verified",
    change: restate(26, (statement, all) => statement.set("subject.1.digest", bundleSha(all, 27)))
  },
  {
    number: 51,
    name: "dated back",
    code: "time_backwards",
    change: restate(26, (statement) => statement.set("predicate.at", past))
  },
  {
    number: 52,
    name: "an unknown type of statement",
    code: "type_unknown",
    change: restate(26, (statement) => statement.set("predicateType", "urn:evil:v1"))
  },
  {
    number: 53,
    name: "a fork: another statement stood before",
    code: "chain_broken",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => all[40]!.set("predicate.previous", shaOf("fork")), { relink: false, relog: false })
  },
  {
    number: 54,
    name: "a retired key signs a new entry",
    code: "key_retired",
    change: (pack, scene) => rewrite(scene, pack, () => undefined, { key: () => scene.first })
  },
  {
    number: 55,
    name: "written anew, the checkpoint left as it was",
    code: "checkpoint_mismatch",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => about(all, 26).set("predicate.actor.id", "usr_other"), { relog: false })
  },
  {
    number: 56,
    name: "a new key that the old one did not sign",
    code: "key_unknown",
    change: (pack) => {
      const key = newStatementKey()
      changeKey(pack, 4, key, (statement) => named(statement, key))
    }
  },
  {
    number: 57,
    name: "a new key that nobody showed to hold",
    code: "key_proof_invalid",
    change: (pack, scene) => {
      changeKey(pack, 4, scene.first, (statement) => named(statement, newStatementKey()))
    }
  },
  {
    number: 58,
    name: "another first key",
    code: "key_not_trusted",
    change: (pack) => {
      const key = newStatementKey()
      const proof = signatureOf(key, utf8(`pawl-key-v1 ${key.keyid}`))
      changeKey(pack, 0, key, (statement) => {
        named(statement, key)
        statement.set("predicate.proof", proof)
      })
    }
  }
]
