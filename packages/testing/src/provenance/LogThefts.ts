/** What a thief can try with the history of keys and its log, and how the log's key is handed over. */
import { canonicalJson, sha256AtOnce, utf8 } from "@pawl/core/primitives/Digest"
import { extended, rootOf } from "@pawl/core/provenance/Edge"
import { predicateType } from "@pawl/core/provenance/Predicates"
import { handoverMessage, proofMessage } from "@pawl/core/provenance/PublicKeys"
import type { Pack } from "./Packs.ts"
import { newLogKey, newStatementKey, type SceneKey, sealed, signatureOf, signedNote } from "./SceneKeys.ts"
import type { Scene } from "./Scenes.ts"
import type { Tampering } from "./Tampering.ts"
import { changeKey, statementOf } from "./Thieves.ts"

const payloadOf = (line: string): string => canonicalJson(statementOf(line).value)

/** A checkpoint over the history of keys as it stands there now. */
const keysNote = (pack: Pack, key: SceneKey, epoch = ""): string => {
  let edge: ReadonlyArray<string> = []
  for (const [entry, line] of pack.keys.entries()) edge = extended(edge, entry, utf8(payloadOf(line)))
  return signedNote(key, `pawl.example/log/instance${epoch}`, pack.keys.length, rootOf(edge))
}

/** One more entry of the history of keys, as another one that is changed. */
const entryAfter = (pack: Pack, like: number, signer: SceneKey, facts: Readonly<Record<string, unknown>>): void => {
  const [statement, before] = [statementOf(pack.keys[like]!), payloadOf(pack.keys.at(-1)!)]
  const { at } = JSON.parse(before).predicate
  const place = { entry: pack.keys.length, at, previous: { sha256: sha256AtOnce(before) } }
  for (const [name, value] of Object.entries({ ...place, ...facts })) statement.set(`predicate.${name}`, value)
  if (facts["lost"] !== undefined) statement.set("predicateType", predicateType("restored"))
  pack.keys.push(sealed(signer, canonicalJson(statement.value)))
}

/** Introduces a key of the log in the place of another, with what is said to hand over to it; it makes the checkpoints. */
const logKeyAfter = (pack: Pack, { log, origin, second }: Scene, key: SceneKey, handover: unknown): void => {
  const root = Buffer.from(pack.checkpoint.split("\n")[2] ?? "", "base64")
  entryAfter(pack, 1, second, {
    keyid: key.keyid,
    spki: key.spki,
    proof: signatureOf(key, proofMessage(key.keyid)),
    retires: [{ keyid: log.keyid, heads: {} }],
    ...(handover === null ? {} : { handover })
  })
  pack.keysCheckpoint = keysNote(pack, key)
  pack.checkpoint = signedNote(key, origin, pack.statements.length, root)
}

/** What the owner does: the log's key hands over to the next one, and no finding follows. */
export const handOverLog = (pack: Pack, scene: Scene): void => {
  const key = newLogKey()
  const sig = signatureOf(scene.log, handoverMessage(key.keyid))
  logKeyAfter(pack, scene, key, { keyid: scene.log.keyid, sig })
}

/** After a lost key the history goes on with one that nobody vouches for. */
export const breakHistory = (pack: Pack, scene: Scene): SceneKey => {
  const key = newStatementKey()
  const { keyid, spki } = key
  const proof = signatureOf(key, proofMessage(keyid))
  const retires = [{ keyid: scene.second.keyid, heads: { [scene.project]: pack.statements.length } }]
  entryAfter(pack, 0, key, { keyid, spki, proof, retires })
  pack.keysCheckpoint = keysNote(pack, scene.log)
  return key
}

/** The database was put back, and the history of keys goes on in its next epoch. */
export const restoreHistory = (pack: Pack, scene: Scene, epoch = 2): void => {
  const old = {
    origin: "pawl.example/log/instance",
    size: pack.keys.length + 2,
    root: Buffer.alloc(32).toString("base64")
  }
  const lost = { from: pack.keys.length, to: old.size }
  entryAfter(pack, 0, scene.second, { epoch, generation: null, old, lost })
  pack.keysCheckpoint = keysNote(pack, scene.log, `/${epoch}`)
}

/** From 74 on. */
export const logThefts: ReadonlyArray<Tampering> = [
  {
    number: 74,
    name: "a key's end written anew, where its log stands",
    code: "checkpoint_mismatch",
    change: (pack, scene) =>
      changeKey(pack, 4, scene.first, (statement) =>
        statement.set("predicate.retires.0.heads", { [scene.project]: scene.rotatedAt, proj_other: 9 })
      )
  },
  {
    number: 75,
    name: "another key of the log, to which nobody handed over",
    code: "checkpoint_signature",
    change: (pack, scene) => logKeyAfter(pack, scene, newLogKey(), null)
  },
  {
    number: 76,
    name: "another key of the log, which handed over to itself",
    code: "checkpoint_signature",
    change: (pack, scene) => {
      const key = newLogKey()
      const sig = signatureOf(key, handoverMessage(key.keyid))
      logKeyAfter(pack, scene, key, { keyid: scene.log.keyid, sig })
    }
  },
  {
    number: 77,
    name: "a key of the log that ended goes on",
    code: "checkpoint_signature",
    change: (pack, scene) => {
      const { checkpoint } = pack
      handOverLog(pack, scene)
      pack.checkpoint = checkpoint
    }
  },
  {
    number: 78,
    name: "the history of keys written anew, where somebody has a checkpoint of it",
    code: "history_rewritten",
    change: (pack, scene) => {
      pack.seen = pack.keysCheckpoint!
      changeKey(pack, 4, scene.first, (statement) => statement.set("predicate.retires.0.heads.proj_other", 9))
      pack.keysCheckpoint = keysNote(pack, scene.log)
    }
  },
  {
    number: 79,
    name: "the newest entry of the history of keys cut off, which ended a key",
    code: "statements_missing",
    change: (pack) => void pack.keys.pop()
  },
  {
    number: 80,
    name: "a key that nobody vouches for, where it is not trusted too",
    code: "key_unknown",
    change: (pack, scene) => void breakHistory(pack, scene)
  },
  {
    number: 81,
    name: "an epoch of the history of keys that was left out",
    code: "history_lost",
    change: (pack, scene) => restoreHistory(pack, scene, 3)
  }
]
