/**
 * What a thief does to a data folder of a real server, or to a copy of it: writes rows of its database, deletes and swaps
 * objects, and, with the key files, writes the history of a Project anew: linked, signed and logged.
 */
import { createPrivateKey } from "node:crypto"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { objectNames } from "@pawl/adapters-local/objects/ObjectPath"
import { keyPairOf } from "@pawl/adapters-local/signing/KeyFiles"
import { canonicalJson, sha256AtOnce, utf8 } from "@pawl/core/primitives/Digest"
import { extended, rootOf } from "@pawl/core/provenance/Edge"
import { preAuthentication } from "@pawl/core/provenance/Envelope"
import { predicateType } from "@pawl/core/provenance/Predicates"
import { type SceneKey, signatureOf, signedNote } from "@pawl/testing/provenance/SceneKeys"

/** A record as the database has it. */
export type Row = Record<string, unknown>

/** A statement as a thief writes it. Its place is made anew. */
export interface Forged {
  subject: Array<{ name: string; digest: Record<string, string> }>
  predicateType: string
  predicate: Row
}

/** Works on the database of a folder. */
export const withDatabase = <A>(folder: string, work: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(join(folder, "pawl.db"))
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** A record by its key. */
export const rowAt = (database: DatabaseSync, table: string, id: string): Row => {
  const found = database.prepare(`SELECT data FROM ${table} WHERE id = ?`).get(id)
  if (found === undefined) throw new Error(`${table} has no ${id}`)
  return JSON.parse(String(found["data"])) as Row
}

/** Changes a record, as whoever can write to the database. Its other columns stay. */
export const rewriteRow = (database: DatabaseSync, table: string, id: string, change: (row: Row) => Row): Row => {
  const row = change(rowAt(database, table, id))
  database.prepare(`UPDATE ${table} SET data = ? WHERE id = ?`).run(JSON.stringify(row), id)
  return row
}

/** Puts one more record beside another, with the columns of that one. */
export const copyRow = (
  database: DatabaseSync,
  table: string,
  from: string,
  to: string,
  change: (row: Row) => Row,
  columns: Readonly<Record<string, string | number | null>> = {}
): Row => {
  const row = change(rowAt(database, table, from))
  const whole = database.prepare(`SELECT * FROM ${table} WHERE id = ?`).get(from) ?? {}
  const made: Record<string, string | number | null> = { ...(whole as typeof columns), ...columns, id: to }
  made["data"] = JSON.stringify(row)
  if ("position" in made)
    made["position"] = Number(database.prepare(`SELECT max(position) AS last FROM ${table}`).get()?.["last"]) + 1
  const names = Object.keys(made)
  database
    .prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`)
    .run(...Object.values(made))
  return row
}

const keyIn = (folder: string, file: string): SceneKey => {
  const pem = readFileSync(join(folder, file), "utf8")
  const pair = keyPairOf(pem)
  if (pair === null) throw new Error(`${file} is no key`)
  return { ...pair.shown, privateKey: createPrivateKey(pem) }
}

/** The keys that lie in a data folder. */
export const stolenKeys = (folder: string): { readonly statement: SceneKey; readonly log: SceneKey } => ({
  statement: keyIn(folder, "signing-key"),
  log: keyIn(folder, "log-key")
})

/** The statement of a kind about a generation, the newest; of a Policy its version. */
export const statementAbout = (
  all: ReadonlyArray<Forged>,
  kind: "promotion" | "release" | "outcome",
  generation: number
) => {
  const type = predicateType(kind)
  const found = all.findLast((each) => each.predicateType === type && each.predicate["generation"] === generation)
  if (found === undefined) throw new Error(`there is no ${kind} of S${generation}`)
  return found
}

/** What names a statement by its digest names the new one. */
const rename = ({ predicate }: Forged, renamed: ReadonlyMap<string, string>): void => {
  const release = predicate["release"] as { readonly sha256: string } | null | undefined
  if (release === null || release === undefined) return
  predicate["release"] = { sha256: renamed.get(release.sha256) ?? release.sha256 }
}

const envelopeIn = <A>(payload: string, signature: A) => ({
  payloadType: "application/vnd.in-toto+json",
  payload: Buffer.from(payload).toString("base64"),
  signatures: [signature]
})

/** The envelope of a payload, signed with a key. */
export const envelopeBy = (key: SceneKey, payload: string) =>
  envelopeIn(payload, { keyid: key.keyid, sig: signatureOf(key, preAuthentication(utf8(payload))) })

/** The host's row carries what stands in the chain now. */
const carryAnew = (database: DatabaseSync, project: string): void => {
  if (project === "instance") return
  rewriteRow(database, "pawl_pointer", `${project}/production`, (row) => {
    const carried = row["provenance"] as { readonly entry: number } | null | undefined
    if (carried === null || carried === undefined) return row
    const id = `${project}/${String(carried.entry).padStart(8, "0")}`
    const { payload, signature } = rowAt(database, "pawl_statement", id)
    return { ...row, provenance: { ...carried, envelope: canonicalJson(envelopeIn(String(payload), signature)) } }
  })
}

/** With which keys a history is written anew. */
interface Pen {
  readonly statement: SceneKey
  readonly log: SceneKey | null
  /** What the origin of its log begins with; default as it was. */
  readonly name?: string
}

/**
 * Writes a chain anew from the first statement that `change` made another, with a key of statements and, where it is there,
 * that of the log. Answers the payloads.
 */
export const forge = (
  folder: string,
  project: string,
  change: (statements: Array<Forged>) => void,
  { log, name = "localhost", statement }: Pen
): ReadonlyArray<string> =>
  withDatabase(folder, (database) => {
    const rows = database
      .prepare("SELECT id, data FROM pawl_statement WHERE id > ? AND id < ? ORDER BY id")
      .all(`${project}/`, `${project}0`)
      .map(({ data, id }) => ({ id: String(id), row: JSON.parse(String(data)) as Row }))
    const statements = rows.map(({ row }) => JSON.parse(String(row["payload"])) as Forged)
    change(statements)
    const renamed = new Map<string, string>()
    const payloads: Array<string> = []
    let edge: ReadonlyArray<string> = []
    let previous: string | null = null
    for (const [entry, said] of statements.entries()) {
      const before = rows[entry]
      Object.assign(said.predicate, { entry, previous: previous === null ? null : { sha256: previous } })
      rename(said, renamed)
      const payload = canonicalJson(said)
      const digest = sha256AtOnce(payload)
      if (before !== undefined) renamed.set(String(before.row["digest"]), digest)
      if (payload !== before?.row["payload"]) {
        const [, kind = ""] = /attestation:(\w+):/.exec(said.predicateType) ?? []
        const { keyid, sig } = envelopeBy(statement, payload).signatures[0]!
        const { at, generation = null } = said.predicate as { readonly at: string; readonly generation?: number }
        const made = { chain: project, entry, kind, generation, payload, digest, signature: { keyid, sig }, at }
        const id = `${project}/${String(entry).padStart(8, "0")}`
        if (before === undefined)
          copyRow(database, "pawl_statement", rows[0]!.id, id, () => made, {
            about: `${project}/${kind}/${generation}`
          })
        else rewriteRow(database, "pawl_statement", id, () => made)
      }
      edge = extended(edge, entry, utf8(payload))
      previous = digest
      payloads.push(payload)
    }
    carryAnew(database, project)
    const size = statements.length
    rewriteRow(database, "pawl_chain", project, (row) => ({ ...row, size, digest: previous, edge }))
    if (log === null) return payloads
    const origin = `${name}/log/${project}`
    const checkpoint = signedNote(log, origin, size, rootOf(edge))
    rewriteRow(database, "pawl_chain_log", project, (row) => ({ ...row, signed: size, size, checkpoint, edge }))
    const head = { origin, size, root: Buffer.from(rootOf(edge)).toString("base64") }
    writeFileSync(join(folder, "heads", `${project}.json`), JSON.stringify(head))
    return payloads
  })

const objectPath = (folder: string, key: string): string => join(folder, "objects", "objects", ...objectNames(key))

/** Deletes an object. */
export const deleteObject = (folder: string, key: string): void => rmSync(objectPath(folder, key))

/** Puts other bytes in the place of an object. */
export const swapObject = (folder: string, key: string, change: (text: string) => string): void =>
  writeFileSync(objectPath(folder, key), change(readFileSync(objectPath(folder, key), "utf8")))
