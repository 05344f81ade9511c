/** What a thief of the database, the objects or the repository can try, who has no key: 1 to 32 of the threat table. */
import { approvalOf, changeEnvelope, changePayload, changeRecord, evidenceOf, promotionOf, rewrite } from "./Thieves.ts"
import { evil, type Tampering } from "./Tampering.ts"
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { utf8 } from "@pawl/core/primitives/Digest"
import type { Pack } from "./Packs.ts"
import { newLogKey, newStatementKey, signedNote } from "./SceneKeys.ts"
import { odd } from "./SceneParts.ts"

const git = (folder: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["--git-dir", join(folder, "repo.git"), ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"]
  })

/** Takes one object out of a repository: its packs become single files first. */
const loseObject = (folder: string, id: string): void => {
  const packs = join(folder, "objects", "pack")
  const aside = `${folder}-packs`
  mkdirSync(aside)
  for (const name of readdirSync(packs)) renameSync(join(packs, name), join(aside, name))
  for (const name of readdirSync(aside).filter((each) => each.endsWith(".pack")))
    execFileSync("bash", ["-c", `git --git-dir "$1" unpack-objects -q < "$2"`, "-", folder, join(aside, name)])
  rmSync(aside, { recursive: true })
  rmSync(join(folder, "objects", id.slice(0, 2), id.slice(2)))
}

const outputOf = (pack: Pack, generation: number): string =>
  promotionOf(pack, generation).text("predicate.checks.1.output.sha256")

const bundleOf = (pack: Pack, generation: number): string =>
  promotionOf(pack, generation).text("subject.1.digest.sha256")

/** By number. */
export const storageThefts: ReadonlyArray<Tampering> = [
  {
    number: 1,
    name: "a byte of a payload",
    code: "signature_invalid",
    change: (pack) => changePayload(pack.statements, 11, (statement) => statement.set("predicate.label", "other"))
  },
  {
    number: 2,
    name: "a byte of a signature",
    code: "signature_invalid",
    change: (pack) =>
      changeEnvelope(pack.statements, 11, (envelope) => {
        const bytes = Buffer.from(envelope.text("signatures.0.sig"), "base64")
        bytes[20]! ^= 1
        envelope.set("signatures.0.sig", bytes.toString("base64"))
      })
  },
  {
    number: 3,
    name: "a strange signature under a known keyid",
    code: "signature_invalid",
    change: (pack, scene) => {
      const key = { ...newStatementKey(), keyid: scene.first.keyid }
      rewrite(scene, pack, () => undefined, { key: () => key, relog: false })
    }
  },
  {
    number: 4,
    name: "a signature taken away",
    code: "signature_missing",
    change: (pack) => changeEnvelope(pack.statements, 11, (envelope) => envelope.set("signatures", []))
  },
  {
    number: 5,
    name: "signed by a strange key",
    code: "key_unknown",
    change: (pack, scene) => {
      const key = newStatementKey()
      rewrite(scene, pack, () => undefined, { key: () => key, relog: false })
    }
  },
  {
    number: 6,
    name: "another payloadType",
    code: "envelope_type",
    change: (pack) => changeEnvelope(pack.statements, 11, (envelope) => envelope.set("payloadType", "application/json"))
  },
  {
    number: 7,
    name: "a line that is cut",
    code: "statement_unreadable",
    change: (pack) => void (pack.statements[11] = pack.statements[11]!.slice(0, -9))
  },
  {
    number: 8,
    name: "a key twice in the envelope",
    code: "statement_unreadable",
    change: (pack) =>
      void (pack.statements[11] = pack.statements[11]!.replace('{"payloadType"', '{"payload":"e30=","payloadType"'))
  },
  {
    number: 9,
    name: "a statement deleted",
    code: "chain_gap",
    change: (pack) => void pack.statements.splice(11, 1)
  },
  {
    number: 10,
    name: "two statements swapped",
    code: "chain_gap",
    change: ({ statements }) => {
      const [one, other] = [statements[11]!, statements[12]!]
      statements.splice(11, 2, other, one)
    }
  },
  {
    number: 11,
    name: "a statement repeated",
    code: "chain_gap",
    change: ({ statements }) => void statements.splice(12, 0, statements[11]!)
  },
  {
    number: 12,
    name: "the last five cut off",
    code: "statements_missing",
    change: (pack) => void (pack.statements.length -= 5)
  },
  {
    number: 13,
    name: "the last five cut off, and an old checkpoint put in",
    code: "statements_missing",
    change: (pack, scene) => {
      pack.statements.length -= 5
      pack.seen = pack.checkpoint
      pack.checkpoint = scene.checkpointAt(40)
    }
  },
  {
    number: 14,
    name: "a checkpoint by a strange key",
    code: "checkpoint_signature",
    change: (pack, scene) => void (pack.checkpoint = signedNote(newLogKey(), scene.origin, 40, Buffer.alloc(32)))
  },
  {
    number: 15,
    name: "another root in the checkpoint",
    code: "checkpoint_signature",
    change: (pack) => {
      const [origin, size, root, ...rest] = pack.checkpoint.split("\n")
      const other = Buffer.from(root!, "base64")
      other[0]! ^= 1
      pack.checkpoint = [origin, size, other.toString("base64"), ...rest].join("\n")
    }
  },
  {
    number: 16,
    name: "a statement of another Project",
    code: "project_mismatch",
    change: (pack, scene) =>
      rewrite(scene, pack, (all) => all[11]!.set("predicate.project", "proj_00000000-0000-4000-8000-000000000000"), {
        relog: false
      })
  },
  {
    number: 17,
    name: "an evidence row: its failure is a pass",
    code: "record_mismatch",
    change: (pack) => void changeRecord(pack, evidenceOf(pack, odd.waived, 1), (row) => row.set("result", "pass"))
  },
  {
    number: 18,
    name: "a Policy weakened in its row",
    code: "record_mismatch",
    change: (pack) => void changeRecord(pack, "policyVersion 2", (row) => row.set("approvalRiskTiers", []))
  },
  {
    number: 19,
    name: "another approver in an approval",
    code: "record_mismatch",
    change: (pack) => void changeRecord(pack, approvalOf(pack, 5), (row) => row.set("approver", "usr_other"))
  },
  {
    number: 20,
    name: "an evidence row deleted",
    code: "record_missing",
    change: (pack) => void pack.records.delete(evidenceOf(pack, 7, 1))
  },
  {
    number: 21,
    name: "an approval deleted",
    code: "record_missing",
    change: (pack) => void pack.records.delete(approvalOf(pack, 5))
  },
  {
    number: 22,
    name: "the output of a check replaced",
    code: "output_mismatch",
    change: (pack) => void pack.objects.set(outputOf(pack, 7), utf8("all fine\n"))
  },
  {
    number: 23,
    name: "the output of a check deleted",
    code: "output_missing",
    change: (pack) => void pack.objects.delete(outputOf(pack, 7))
  },
  {
    number: 24,
    name: "a bundle.json replaced",
    code: "bundle_mismatch",
    change: (pack) => void pack.objects.set(pack.live.bundle!, utf8('{"assets":{"manifest":{}}}'))
  },
  {
    number: 25,
    name: "a bundle.json deleted",
    code: "bundle_missing",
    change: (pack) => void pack.objects.delete(pack.live.bundle!)
  },
  {
    number: 26,
    name: "an asset in the store replaced",
    code: "asset_mismatch",
    change: (pack) => void pack.objects.set(pack.live.assets["a.txt"]!, utf8("evil"))
  },
  {
    number: 27,
    name: "the pointer at an older bundle",
    code: "live_mismatch",
    change: (pack) => void (pack.live.bundle = bundleOf(pack, 4))
  },
  {
    number: 28,
    name: "the pointer at a bundle that nobody stated",
    code: "live_unstated",
    change: (pack) => void (pack.live.bundle = evil.sha256)
  },
  {
    number: 29,
    name: "a host that serves another file",
    code: "live_asset_mismatch",
    change: (pack) => void (pack.live.assets["a.txt"] = evil.sha256)
  },
  {
    number: 30,
    name: "main at another commit",
    code: "main_mismatch",
    folder: (folder, { commits }) => void git(folder, "update-ref", "refs/heads/main", commits[3]!.commit)
  },
  {
    number: 31,
    name: "a commit that is gone",
    code: "commit_missing",
    folder: (folder, { commits }) => loseObject(join(folder, "repo.git"), commits[7]!.commit)
  },
  {
    number: 32,
    name: "a commit replaced by git replace",
    code: "commit_tree_mismatch",
    folder: (folder, { commits }) => void git(folder, "replace", commits[7]!.commit, commits[3]!.commit)
  }
]
