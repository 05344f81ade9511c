/** Which table keeps which kind of record, and in which columns. Made from `Entities`; see also `Migrations.ts`. */
import { Result, Schema } from "effect"
import type { Stored } from "@pawl/core/ledger/Commit"
import { uniqueColumns } from "@pawl/core/ledger/CommitRules"
import { type Entity, entityOf, type Kind, kinds, type RecordOf } from "@pawl/core/model/Entities"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Database, Parameter, Row } from "./Database.ts"
import * as KnownTexts from "./KnownTexts.ts"
import * as NewerFields from "./NewerFields.ts"
import { type Plain, plainJson } from "@pawl/core/primitives/PlainJson"

/** The table of a kind, with the statements that read and write a row of it. */
export interface Table {
  /** What it keeps. */
  readonly kind: Kind
  /** `pawl_` and the kind in snake case. */
  readonly name: string
  /** How that kind is kept. */
  readonly entity: Entity<unknown>
  /** The entity's columns, named as there (and quoted in SQL, so that they cannot collide with the store's own). */
  readonly columns: ReadonlyArray<string>
  /** Where `status` stands in `columns`; -1 for a kind without. */
  readonly statusAt: number
  /** Those of `columns` whose values are unique. */
  readonly unique: ReadonlyArray<string>
  /** The index that leads to a Project's records in a status, in their order; null for a kind that has none. */
  readonly statusIndex: string | null
  /** The JSON of a record, which is frozen with that. Throws when the record is not what its schema says. */
  readonly encode: (record: unknown) => string
  /** The record of a JSON text, of the row of a key. Frozen: all who read the row share it. */
  readonly decode: (text: unknown, key?: string) => Result.Result<unknown, unknown>
  /** Values of `columns`. */
  readonly values: (record: unknown) => ReadonlyArray<Parameter>
  /** A new row: project, id, data, then the columns. */
  readonly insert: string
  /** Data and status. The other columns hardly ever change, and a column that is set rewrites its index. */
  readonly update: string
  /** Data and all columns. */
  readonly rewrite: string
  /** Deletes the row of an id at a revision. */
  readonly remove: string
  /** The revision of an id. */
  readonly revision: string
  /** Answers a row while the record is at its revision. */
  readonly same: string
  /** The revision of whoever stands in the way of an insertion: by the key, or by a unique value. */
  readonly taken: string
  /** The beginning of a listing: position, id, revision and data. */
  readonly select: string
  /** The row of an id. */
  readonly byId: string
  /** The rows of a JSON list of ids: the same text for however many. */
  readonly byIds: Readonly<Record<Database["Service"]["dialect"], string>>
}

/** A column's name as SQL text. */
export const quoted = (column: string): string => `"${column}"`

type Decode = Table["decode"]

/** Records by their texts, those of all kinds: they share the room. */
const known = KnownTexts.make<{ readonly kind: Kind; readonly record: unknown }>()

/** What a text stands for, under the names inside; undefined for what is no JSON. */
const valueOf = (text: string, { read }: Plain): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return KnownTexts.frozen(read === null ? value : read(value))
  } catch {
    return undefined
  }
}

/** The same characters: a text that was cut out of a longer one would keep that in memory. */
const copied = (text: string): string => JSON.parse(JSON.stringify(text))

/** Decodes a text once, and by its schema only where that changes something: fields, or their order. */
const decoding =
  (
    kind: Kind,
    plain: Plain | null,
    names: ReadonlySet<string> | null,
    decode: (text: unknown) => ReturnType<Decode>
  ): Decode =>
  (text, key) => {
    if (typeof text !== "string") return decode(text)
    const before = known.get(text, key)
    if (before?.kind === kind) return Result.succeed(before.record)
    const value = plain === null ? undefined : valueOf(text, plain)
    const written = plain?.write(value)
    const isIt = written === text
    const whole = () =>
      Result.map(decode(text), (record) => KnownTexts.frozen(NewerFields.carried(record, text, names)))
    return Result.map(isIt ? Result.succeed(value) : whole(), (record) => {
      known.keep(isIt ? written : copied(text), { kind, record }, key)
      return record
    })
  }

/**
 * The text of a record. Whoever reads that text gets the record itself: what was written is mostly read next, and would be
 * decoded to the same. A record with a key that no schema names, or with what a newer version wrote, would not.
 */
const encoding =
  (
    kind: Kind,
    plain: Plain | null,
    keyOf: (record: unknown) => string,
    encode: (record: unknown) => unknown
  ): Table["encode"] =>
  (record) => {
    const written = plain?.write(record)
    const text = NewerFields.withCarried(written ?? JSON.stringify(encode(record)), record)
    if (text === written && plain?.check(record) === true)
      known.keep(text, { kind, record: KnownTexts.frozen(record) }, keyOf(record))
    return text
  }

/**
 * Kinds of which a Project may have very many, and few in a status that is asked for. Their index of the status holds the
 * Project too: it costs a commit no more than one without. Who asks for a status of all Projects asks for all in it.
 */
const soughtByStatus: ReadonlySet<Kind> = new Set<Kind>(["change", "task", "laneEntry", "release"])

const tableOf = (kind: Kind): Table => {
  const entity = entityOf(kind) as Entity<unknown>
  const columns = Object.keys(entity.columns)
  const name = `pawl_${kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
  const encode = Schema.encodeSync(entity.schema)
  const plain = plainJson(entity.schema)
  const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(entity.schema))
  const decode = decoding(kind, plain, NewerFields.namesOf(entity.schema), decodeJson)
  const setting = (set: ReadonlyArray<string>): string =>
    `UPDATE ${name} SET revision = revision + 1, data = ?${set.map((column) => `, ${quoted(column)} = ?`).join("")} WHERE id = ? AND revision = ?`
  const all = ["project_id", "id", "revision", "data", ...columns.map(quoted)]
  const unique = uniqueColumns[kind] ?? []
  const revision = `SELECT revision FROM ${name} WHERE id = ?`
  const select = `SELECT position, id, revision, data FROM ${name}`
  return {
    kind,
    name,
    entity,
    columns,
    statusAt: columns.indexOf("status"),
    unique,
    statusIndex: soughtByStatus.has(kind) ? `${name}_status_project` : null,
    encode: encoding(kind, plain, entity.id, encode),
    decode,
    values: (record) => columns.map((column) => entity.columns[column]!(record)),
    insert: `INSERT INTO ${name} (${all.join(", ")}) VALUES (?, ?, 1, ?${", ?".repeat(columns.length)}) ON CONFLICT DO NOTHING`,
    update: setting(columns.filter((column) => column === "status")),
    rewrite: setting(columns),
    remove: `DELETE FROM ${name} WHERE id = ? AND revision = ?`,
    revision,
    same: `SELECT 1 AS same FROM ${name} WHERE id = ? AND revision = ?`,
    taken: [
      revision,
      ...unique.map((column) => `UNION ALL SELECT revision FROM ${name} WHERE ${quoted(column)} = ? AND id <> ?`)
    ].join(" "),
    select,
    byId: `${select} WHERE id = ?`,
    byIds: {
      sqlite: `${select} WHERE id IN (SELECT value FROM json_each(?))`,
      // As a list, which is looked up by the key whatever the planner thinks of its length.
      pg: `${select} WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(?::jsonb)))`
    }
  }
}

const tables = new Map<Kind, Table>(kinds.map((kind) => [kind, tableOf(kind)]))
/** The tables of all kinds, in the order of `Entities`. */
export const allTables: ReadonlyArray<Table> = Array.from(tables.values())

/** The table of a kind. A kind that there is not is a defect. */
export const table = (kind: Kind): Table => {
  const found = tables.get(kind)
  if (found === undefined) throw new Error(`No such kind of record: ${kind}`)
  return found
}

const keyOf = ({ id }: Row): string | undefined => (typeof id === "string" ? id : undefined)

/** A row as the record it keeps, or the fact that it cannot be read. What stands in it is not repeated. */
export const storedOf = <K extends Kind>(kind: K, row: Row): Result.Result<Stored<RecordOf<K>>, LedgerUnavailable> =>
  Result.mapBoth(table(kind).decode(row["data"], keyOf(row)), {
    onSuccess: (record) => ({ record: record as RecordOf<K>, revision: Number(row["revision"]) }),
    onFailure: () => corrupt(table(kind).name, String(row["id"]))
  })

/** What a row that its schema does not know is told as. Asking again does not help. */
export const corrupt = (tableName: string, key: string): LedgerUnavailable =>
  new LedgerUnavailable({
    operation: `read ${tableName}`,
    reason: `the row ${key} of ${tableName} cannot be read: it is not what its schema says`,
    lasting: true
  })
