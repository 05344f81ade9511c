/** A checkpoint of a chain is made after its statements were signed, at most every `Limits.checkpointEveryMs`. */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { ChainId } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { Waiting } from "../work/Processes.ts"
import { checkpointText, originOf, signedNote } from "./Checkpoint.ts"
import { CheckpointPublishers } from "./CheckpointPublisher.ts"
import { rootOf } from "./Edge.ts"
import { publications } from "./Publishing.ts"
import { rawEd25519 } from "./PublicKeys.ts"
import { base64Bytes } from "../primitives/StrictBase64.ts"
import { Signer, SignerUnavailable } from "./Signer.ts"
import { utf8 } from "../primitives/Digest.ts"

/** The log's key, as the signer has it. */
interface LogKey {
  readonly keyid: string
  readonly spki: string
}

const noteOf = Effect.fnUntraced(function* (text: string, key: LogKey) {
  const { keyid, sig } = yield* (yield* Signer).sign("log", utf8(text))
  const [raw, signature] = [rawEd25519(key.spki), base64Bytes(sig)]
  if (keyid !== key.keyid || raw === null || signature === null)
    return yield* new SignerUnavailable({ reason: "the log's key has changed" })
  return signedNote(text, raw, signature)
})

/** Makes a checkpoint of what is signed, unless the newest one says that already. Waits while the newest is too young. */
export const checkpoint = Effect.fn("Checkpoints.checkpoint")(function* (chain: ChainId, name: string, key: LogKey) {
  const end = yield* find("chain", chain)
  const before = yield* find("chainLog", chain)
  if (end === null || before === null) return
  const { checkpointAt, edge, logKeyid = key.keyid, signed, size } = before.record
  if (signed === size || signed !== end.record.size) return
  // It was rotated meanwhile: the next look finds the new key.
  if (logKeyid !== key.keyid) return yield* new SignerUnavailable({ reason: "another key makes the log's checkpoints" })
  const now = yield* Time.now
  const ageMs = checkpointAt === null ? Limits.checkpointEveryMs : Time.toMillis(now) - Time.toMillis(checkpointAt)
  if (ageMs < Limits.checkpointEveryMs)
    return yield* Effect.fail(new Waiting("the newest checkpoint is too young", Limits.checkpointEveryMs - ageMs))
  const note = yield* noteOf(checkpointText(originOf(name, chain, end.record.epoch), signed, rootOf(edge)), key)
  yield* decideAndCommit(
    Effect.gen(function* () {
      const log = yield* find("chainLog", chain)
      // What another worker made meanwhile is of no smaller size.
      if (log === null || log.record.size >= signed || log.record.signed < signed) return { answer: undefined }
      // Nor is what the key before made stored any more.
      if ((log.record.logKeyid ?? key.keyid) !== key.keyid) return { answer: undefined }
      const fields = { size: signed, checkpoint: note, checkpointAt: now, updatedAt: now }
      const commit: Commit.Commit = {
        name: "Checkpoints.checkpoint",
        projectId: chain === "instance" ? null : chain,
        actor: system("Checkpoints.checkpoint"),
        writes: [Commit.update("chainLog", log, fields)],
        commands: publications(chain, yield* CheckpointPublishers)
      }
      return { answer: undefined, commit }
    })
  )
})
