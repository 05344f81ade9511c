/** Checkpoints that somebody else held: how much of each chain they vouch for. */
import { find } from "@pawl/core/ledger/Decision"
import type { Chain } from "@pawl/core/model/Chain"
import { utf8 } from "@pawl/core/primitives/Digest"
import { type ChainId, statementKey } from "@pawl/core/model/Statement"
import { checkpointText, isSigned, originOf, readCheckpoint } from "@pawl/core/provenance/Checkpoint"
import { extended, rootOf } from "@pawl/core/provenance/Edge"
import { allKeys } from "@pawl/core/provenance/KeyHistory"
import { Records } from "@pawl/core/ledger/Records"
import { Effect } from "effect"
import { CannotAsk } from "./Remote.ts"

/** Where notes stand in a text that may hold more than those. */
const notes = /[^\n]+\n[0-9]+\n[A-Za-z0-9+/=]+\n\n— [^\n]+\n/g

const textAt = Effect.fnUntraced(function* (chain: ChainId, origin: string, size: number) {
  let edge: ReadonlyArray<string> = []
  for (let entry = 0; entry < size; entry++) {
    const statement = yield* find("statement", statementKey(chain, entry))
    if (statement === null) return null
    edge = extended(edge, entry, utf8(statement.record.payload))
  }
  return checkpointText(origin, size, rootOf(edge))
})

/** Whether this is a log of a chain: of its epoch, or of one before, whose checkpoints are of what still stands. */
const isOf = ({ chain, epoch }: Pick<Chain, "chain" | "epoch">, name: string, origin: string): boolean =>
  Array.from({ length: epoch }, (_, before) => originOf(name, chain, before + 1)).includes(origin)

/** The sizes that checkpoints of a text vouch for, by chain. Each must be one of this instance's, of what stands here. */
export const vouchedFor = Effect.fnUntraced(function* (text: string) {
  const keys = (yield* allKeys).filter(({ record }) => record.use === "log").map(({ record }) => record)
  const chains = (yield* (yield* Records).list("chain", { limit: "all" })).items
  const heads = new Map<ChainId, number>()
  for (const [found] of text.matchAll(notes)) {
    const note = readCheckpoint(found)
    if (note === null) return yield* new CannotAsk({ reason: "--since: a checkpoint of the file cannot be read" })
    const { origin, size, text: signed } = note
    const own = chains.find(({ record }) => keys.some(({ name = "" }) => isOf(record, name, origin)))?.record.chain
    const held = yield* Effect.promise(() => isSigned(note, keys))
    if (!held || own === undefined)
      return yield* new CannotAsk({ reason: `--since: the checkpoint of ${origin} is none of this instance's` })
    if ((yield* textAt(own, origin, size)) !== signed)
      return yield* new CannotAsk({ reason: `--since: the checkpoint of ${origin} is not of what stands here` })
    heads.set(own, Math.max(heads.get(own) ?? 0, size))
  }
  if (heads.size === 0) return yield* new CannotAsk({ reason: "--since: the file holds no checkpoint" })
  return heads
})
