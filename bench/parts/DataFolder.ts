/** The statements of a pack as the database of a data folder keeps them, with its log. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { insert, type Write } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { type ChainId, type Statement, StatementKind } from "@pawl/core/model/Statement"
import { ProjectId } from "@pawl/core/primitives/Ids"
import { sha256AtOnce, utf8 } from "@pawl/core/primitives/Digest"
import { predicateType } from "@pawl/core/provenance/Predicates"
import { emptyLog } from "@pawl/core/provenance/Signing"
import { emptyChain } from "@pawl/core/provenance/Statements"
import * as SqlStores from "@pawl/sql/SqlStores"
import type { Pack } from "@pawl/testing/provenance/Packs"
import { Effect, Layer, Schema } from "effect"

const kinds = new Map(StatementKind.literals.map((kind) => [predicateType(kind), kind]))

const statementOf = (chain: ChainId, line: string, entry: number): Statement => {
  const envelope = JSON.parse(line)
  const payload = Buffer.from(envelope.payload, "base64").toString()
  const { predicate, predicateType: type } = JSON.parse(payload)
  const kind = kinds.get(type)
  if (kind === undefined) throw new Error(`a statement of no kind: ${type}`)
  const { at, generation = null } = predicate
  return {
    chain,
    entry,
    kind,
    generation,
    payload,
    digest: sha256AtOnce(utf8(payload)),
    signature: envelope.signatures[0] ?? null,
    at
  }
}

const perCommit = 500

const written = Effect.fnUntraced(function* (chain: ChainId, lines: ReadonlyArray<string>, checkpoint: string | null) {
  const ledger = yield* Ledger
  const statements = lines.map((line, entry) => statementOf(chain, line, entry))
  const last = statements.at(-1)
  if (last === undefined) throw new Error(`${chain} says nothing`)
  const { at, digest } = last
  const size = statements.length
  const projectId = chain === "instance" ? null : chain
  const ends: ReadonlyArray<Write> = [
    insert("chain", { ...emptyChain(chain, at), size, digest }),
    insert("chainLog", { ...emptyLog(chain, at), signed: size, size, checkpoint, checkpointAt: at })
  ]
  yield* ledger.commit({ name: "Bench.chain", projectId, writes: ends })
  for (let from = 0; from < size; from += perCommit) {
    const writes = statements.slice(from, from + perCommit).map((each) => insert("statement", each))
    yield* ledger.commit({ name: "Bench.statements", projectId, writes })
  }
})

/** Writes them into a new folder. */
export const writeData = async (folder: string, { checkpoint, keys, keysCheckpoint, statements, trust }: Pack) => {
  mkdirSync(folder)
  const project = trust.log.origin.slice(trust.log.origin.lastIndexOf("/") + 1)
  if (!Schema.is(ProjectId)(project)) throw new Error(`the log of no Project: ${trust.log.origin}`)
  const stores = Layer.provide(SqlStores.layer, SqliteClient.layer({ filename: join(folder, "pawl.db") }))
  await Effect.runPromise(
    Effect.gen(function* () {
      yield* written("instance", keys, keysCheckpoint ?? null)
      yield* written(project, statements, checkpoint)
    }).pipe(Effect.provide(stores))
  )
}
