/**
 * Everything that was tried against packs, with the code that must name it. By number as in the threat table, those that
 * were added after it from 59 on.
 */
import { beliefThefts } from "./BeliefThefts.ts"
import { copyThefts, oddThefts, unreadThefts } from "./CopyThefts.ts"
import { keyThefts } from "./KeyThefts.ts"
import { logThefts } from "./LogThefts.ts"
import { policyThefts } from "./PolicyThefts.ts"
import { reuseThefts } from "./ReuseThefts.ts"
import { rowThefts } from "./RowThefts.ts"
import { storageThefts } from "./StorageThefts.ts"
import {
  about,
  changeEnvelope,
  changeKey,
  changeRecord,
  entryOf,
  evidenceOf,
  promotionOf,
  rewrite,
  shaOf,
  statementOf
} from "./Thieves.ts"
import { evil, isRestored, restate, type Tampering } from "./Tampering.ts"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { utf8 } from "@pawl/core/primitives/Digest"
import { signedNote } from "./SceneKeys.ts"
import { odd } from "./SceneParts.ts"

const added: ReadonlyArray<Tampering> = [
  {
    number: 59,
    name: "a database put back goes on, and the signer knows more",
    code: "log_behind",
    change: (pack, scene) => {
      const [, size, root] = pack.checkpoint.split("\n")
      pack.heads = { [scene.origin]: { size: Number(size), root: root! } }
      const from = pack.statements.length - 5
      pack.statements.length = from
      pack.checkpoint = scene.checkpointAt(from)
      pack.live = { ...pack.live, incarnation: 1, entry: from - 1 }
    }
  },
  {
    number: 60,
    name: "a new epoch that does not begin with what was restored",
    code: "history_lost",
    to: "restored",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => void all.splice(all.findIndex(isRestored), 1), { relog: false })
  },
  {
    number: 61,
    name: "a bundle that does not derive from what it says",
    code: "bundle_not_derived",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => {
        const release = about(all, odd.rollback, "release")
        const digest = release.text("subject.0.digest.sha256")
        const text = Buffer.from(pack.objects.get(digest)!).toString().replace("export default 15", "export default 66")
        pack.objects.delete(digest)
        pack.objects.set(shaOf(text).sha256, utf8(text))
        release.set("subject.0.digest", shaOf(text))
      })
  },
  {
    number: 62,
    name: "the pointer carries an older release of what it serves",
    code: "release_superseded",
    change: (pack) => void (pack.live.entry = entryOf(pack, 28, "release"))
  },
  {
    number: 63,
    name: "the pointer of another incarnation",
    code: "release_other_place",
    change: (pack) => void (pack.live.incarnation = 7)
  },
  {
    number: 64,
    name: "a key that was stolen, and revoked",
    code: "key_revoked",
    change: (pack, scene) =>
      changeKey(pack, 4, scene.first, (statement) => {
        statement.set("predicate.retires.0.revoked", true)
        statement.set("predicate.retires.0.heads", { [scene.project]: scene.rotatedAt - 5 })
      })
  },
  {
    number: 65,
    name: "an approval carried to another difference",
    code: "approval_not_carried",
    change: restate(odd.carried, (statement) => statement.set("predicate.candidate.diff", shaOf("another difference")))
  },
  {
    number: 66,
    name: "rows of the time before statements, changed",
    code: "adopted_mismatch",
    to: "adopted",
    change: (pack, scene) => {
      const record = changeRecord(pack, evidenceOf(pack, 3, 0), (row) => row.set("summary", "other words"))
      rewrite(scene, pack, (all) => about(all, 3).set("predicate.checks.0.record", record))
    }
  },
  {
    number: 67,
    name: "the list of packages replaced",
    code: "record_mismatch",
    change: (pack) => {
      pack.objects.set(promotionOf(pack, odd.sbom).text("predicate.packages.sbom.sha256"), utf8("{}"))
    }
  }
]

const beyond: ReadonlyArray<Tampering> = [
  {
    number: 68,
    name: "files that are others under the same ids of git",
    code: "source_mismatch",
    change: restate(26, (statement) => statement.set("subject.0.digest.dirHash", evil.sha256))
  },
  {
    number: 69,
    name: "a checkpoint of what a restored backup lost",
    code: "history_lost",
    to: "restored",
    change: (pack, scene) => {
      const to = pack.statements.map(statementOf).find(isRestored)!.get("predicate.lost.to")
      pack.seen = signedNote(scene.log, scene.origin, Number(to), Buffer.alloc(32, 7))
    }
  },
  {
    number: 70,
    name: "a passkey enrolled without an owner's",
    code: "approver_unknown",
    change: (pack, scene) => changeKey(pack, 3, scene.first, (statement) => statement.drop("predicate.endorsement"))
  },
  {
    number: 71,
    name: "a checkpoint that is none",
    code: "checkpoint_unreadable",
    change: (pack) => void (pack.checkpoint = "never\n")
  },
  {
    number: 72,
    name: "a file of the app that is gone",
    code: "asset_missing",
    change: (pack) => void pack.objects.delete(pack.live.assets["a.txt"]!)
  },
  {
    number: 73,
    name: "records that are none",
    code: "pack_unreadable",
    folder: (folder) => appendFileSync(join(folder, "records.ndjson"), "{}\n")
  },
  {
    number: 83,
    name: "a statement that nobody signed, after the last one",
    code: "statement_unsigned",
    change: (pack, scene) => {
      pack.checkpoint = scene.checkpointAt(pack.statements.length - 1)
      changeEnvelope(pack.statements, pack.statements.length - 1, (envelope) => envelope.set("signatures", []))
    }
  },
  {
    number: 84,
    name: "the last signature, gone below the checkpoint",
    code: "signature_missing",
    change: (pack) =>
      changeEnvelope(pack.statements, pack.statements.length - 1, (envelope) => envelope.set("signatures", []))
  },
  {
    number: 85,
    name: "a key that nobody signed, after the last one",
    code: "statement_unsigned",
    change: (pack) => changeEnvelope(pack.keys, pack.keys.length - 1, (envelope) => envelope.set("signatures", []))
  },
  {
    number: 82,
    name: "a signer that is an epoch ahead",
    code: "log_behind",
    change: (pack, { origin }) =>
      void (pack.heads = { [`${origin}/2`]: { size: 1, root: Buffer.alloc(32).toString("base64") } })
  },
  {
    number: 86,
    name: "an approval carried under a Policy that carries none",
    code: "approval_not_carried",
    change: restate(odd.rollbackTo, (statement) => {
      const [diff, tree] = [shaOf("what both do"), statement.text("predicate.approvals.0.tree")]
      statement.set("predicate.candidate.diff", diff)
      statement.set("predicate.approvals.0.carriedFrom", { tree, diff })
    })
  },
  {
    number: 87,
    name: "an approval carried from a tree that it was not given for",
    code: "approval_other_tree",
    change: restate(odd.carried, (statement) =>
      statement.set("predicate.approvals.0.carriedFrom.tree", statement.text("subject.0.digest.gitTree"))
    )
  },
  {
    number: 88,
    name: "an approval of an earlier Candidate that is not said to be carried",
    code: "approval_other_tree",
    change: restate(odd.carried, (statement) => statement.drop("predicate.approvals.0.carriedFrom"))
  },
  {
    number: 89,
    name: "the pointer carries an entry that is no release of what it serves",
    code: "live_unstated",
    change: (pack) => void (pack.live.entry = (pack.live.entry ?? 0) + 1)
  },
  {
    number: 90,
    name: "a field of what is served by another name",
    code: "pack_unreadable",
    change: (pack) => {
      const { entry, ...live } = pack.live
      pack.live = Object.assign(live, { entri: entry })
    }
  },
  {
    number: 91,
    name: "a field of whom to believe by another name",
    code: "pack_unreadable",
    change: (pack) => void Object.assign(pack.trust, { withoot: ["objects"] })
  }
]

const numbered: ReadonlyArray<Tampering> = [...storageThefts, ...keyThefts, ...added, ...beyond, ...logThefts]

const reused = [...numbered, ...reuseThefts(numbered.length + 1)]

const allowed = [...reused, ...policyThefts(reused.length + 1)]

const copied = [...allowed, ...copyThefts(allowed.length + 1)]

const believed = [...copied, ...beliefThefts(copied.length + 1)]

const read = [...believed, ...oddThefts(believed.length + 1)]

const carried = [...read, ...rowThefts(read.length + 1)]

/** All of them. */
export const tamperings: ReadonlyArray<Tampering> = [...carried, ...unreadThefts(carried.length + 1)]
