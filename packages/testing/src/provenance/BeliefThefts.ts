/** What is tried with what a pack says of itself: who made a long list of ChangeSets, what its log is, and what may wait. */
import { newLogKey, signedNote } from "./SceneKeys.ts"
import { approverId, candidateOf, odd } from "./SceneParts.ts"
import type { Pack } from "./Packs.ts"
import type { Scene } from "./Scenes.ts"
import type { Tampering } from "./Tampering.ts"
import { about, approvalOf, changeEnvelope, changeRecord, type Json, rewrite } from "./Thieves.ts"

const list = `made ${candidateOf(odd.listed)}`

/** Changes the list of who made a generation, and states it anew. */
const relisted =
  (change: (made: Json) => void) =>
  (pack: Pack, scene: Scene): void => {
    const { sha256 } = changeRecord(pack, list, change)
    rewrite(scene, pack, (all) => about(all, odd.listed).set("predicate.madeOf.sha256", sha256))
  }

const unsignedLast = (pack: Pack, scene: Scene): void => {
  pack.checkpoint = scene.checkpointAt(pack.statements.length - 1)
  changeEnvelope(pack.statements, pack.statements.length - 1, (envelope) => envelope.set("signatures", []))
}

const thefts: ReadonlyArray<Omit<Tampering, "number">> = [
  {
    name: "an author approves, whom only the list beside the statement names",
    code: "self_approval",
    change: relisted((made) => made.set("2.author.for", approverId))
  },
  {
    name: "the list of who made it, gone",
    code: "record_missing",
    change: (pack) => void pack.records.delete(list)
  },
  {
    name: "the list of who made it, with an author less",
    code: "record_mismatch",
    change: (pack) => void changeRecord(pack, list, (made) => made.drop("2"))
  },
  {
    name: "the list of who made it, with an author less, stated anew",
    code: "record_mismatch",
    change: relisted((made) => made.drop("2"))
  },
  {
    name: "a list of who made it that is none",
    code: "record_mismatch",
    change: relisted((made) => made.drop("2.author"))
  },
  {
    name: "a log of a key that the history of keys never introduced",
    code: "checkpoint_signature",
    change: (pack, { origin }) => {
      const key = newLogKey()
      const [, size, root = ""] = pack.checkpoint.split("\n")
      pack.checkpoint = signedNote(key, origin, Number(size), Buffer.from(root, "base64"))
      pack.trust.log.spki = key.spki
    }
  },
  {
    name: "a pack that lets statements of all times be unsigned",
    code: "statement_unsigned",
    change: (pack, scene) => {
      unsignedLast(pack, scene)
      pack.trust.waiting = { from: "2000-01-01T00:00:00.000Z", to: "2100-01-01T00:00:00.000Z" }
    }
  },
  {
    name: "a checkpoint that was seen, of a log by another name",
    code: "checkpoint_signature",
    change: (pack, { log, project }) => {
      const [, size, root = ""] = pack.checkpoint.split("\n")
      pack.seen = signedNote(log, `other.example/log/${project}`, Number(size), Buffer.from(root, "base64"))
    }
  },
  {
    name: "another note beside a decision",
    code: "record_mismatch",
    change: (pack) => void changeRecord(pack, approvalOf(pack, 5), (row) => row.set("note", "not read"))
  },
  {
    name: "a decision without its note",
    code: "record_mismatch",
    change: (pack) => void changeRecord(pack, approvalOf(pack, 5), (row) => row.drop("note"))
  }
]

/** All of them, numbered from here on. */
export const beliefThefts = (first: number): ReadonlyArray<Tampering> =>
  thefts.map((theft, index) => ({ ...theft, number: first + index }))
