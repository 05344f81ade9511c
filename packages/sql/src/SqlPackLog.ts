/**
 * `PackLog` over SQL. The row of a repository is its lock: whoever writes changes it first, so that what the statements
 * after it read is what was committed by then, and the place of a pack comes out of it. Bytes are text, in base64.
 */
import type { SqlError } from "effect/sql/SqlError"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import { base64Bytes } from "@pawl/core/primitives/StrictBase64"
import { nowMillis } from "@pawl/core/primitives/Time"
import type { LoggedPack, Pack, PackLog, StandingRepository } from "@pawl/core/project/PackLog"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import { type Database, inJsonList, type Parameter, type Row, type Statement } from "./Database.ts"
import { unavailable } from "./Failures.ts"
import { crowded } from "./Expansions.ts"
import { corrupt } from "./Tables.ts"

/** Canonical is the repository without a fork's name. */
const keyOf = ({ fork, project }: RepositoryRef): readonly [string, string] => [project, fork ?? ""]
const thisOne = "project_id = ? AND fork = ?"

const refOf = (row: Row): RepositoryRef => {
  const project = String(row["project_id"])
  return row["fork"] === "" ? { project } : { project, fork: String(row["fork"]) }
}

const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null)

const standing = (row: Row): StandingRepository => ({
  born: String(row["born"]),
  main: textOr(row["main"]),
  through: Number(row["repo_through"]),
  hotPacks: Number(row["hot_packs"]),
  hotBytes: Number(row["hot_bytes"])
})

/** A row of the join that has no pack says null. Null where the text of the body is none in base64. */
const packOf = (row: Row): LoggedPack | null => {
  const text = textOr(row["body"])
  const body = text === null ? null : base64Bytes(text)
  if (text !== null && body === null) return null
  return {
    through: Number(row["through"]),
    isBase: Number(row["base"]) === 1,
    digest: String(row["digest"]),
    sizeBytes: Number(row["bytes"]),
    objects: Number(row["objects"]),
    object: textOr(row["object"]),
    body
  }
}

const stood = "born, main, through AS repo_through, hot_packs, hot_bytes"

const fieldsOf = ({ body, digest, object, objects, sizeBytes }: Pack): ReadonlyArray<Parameter> => [
  digest,
  sizeBytes,
  objects,
  object,
  body === null ? null : Base64.encode(body)
]

/** What the object store has of these packs waits for its deletion. */
const trashed = (where: string, params: ReadonlyArray<Parameter>, due: number): Statement => ({
  sql: `INSERT INTO pawl_trash (project_id, object, due) SELECT project_id, object, CAST(? AS BIGINT) FROM pawl_pack
    WHERE ${where} AND object IS NOT NULL ON CONFLICT DO NOTHING`,
  params: [due, ...params]
})

const append =
  (database: Database["Service"]): PackLog["Service"]["append"] =>
  ({ born, main, pack, ref }) => {
    const key = keyOf(ref)
    const at = main === undefined ? "" : main.from === null ? " AND main IS NULL" : " AND main = ?"
    const moved: Statement = {
      sql: `UPDATE pawl_repo SET through = through + ?, hot_packs = hot_packs + ?, hot_bytes = hot_bytes + ?${main === undefined ? "" : ", main = ?"}
        WHERE ${thisOne} AND born = ?${at} RETURNING ${stood}`,
      params: [
        pack === null ? 0 : 1,
        pack === null ? 0 : 1,
        pack?.sizeBytes ?? 0,
        ...(main === undefined ? [] : [main.to]),
        ...key,
        born,
        ...(main === undefined || main.from === null ? [] : [main.from])
      ],
      rows: 1
    }
    const added: ReadonlyArray<Statement> =
      pack === null
        ? []
        : [
            {
              sql: `INSERT INTO pawl_pack (project_id, fork, through, base, digest, bytes, objects, object, body)
                SELECT project_id, fork, through, 0, ?, ?, ?, ?, ? FROM pawl_repo WHERE ${thisOne}`,
              params: [...fieldsOf(pack), ...key],
              rows: 1
            }
          ]
    return database.batch([moved, ...added]).pipe(
      Effect.map((outcome) => {
        const row = outcome._tag === "Applied" ? outcome.answers[0]?.[0] : undefined
        return row === undefined ? null : standing(row)
      }),
      Effect.catchTag("SqlError", unavailable("add a pack")),
      Effect.withSpan("PackLog.append", { attributes: { project: ref.project } })
    )
  }

const replace =
  (database: Database["Service"]): PackLog["Service"]["replace"] =>
  ({ base, born, ref, through }) => {
    const key = keyOf(ref)
    const hot = (what: string) => `(SELECT ${what} FROM pawl_pack WHERE ${thisOne} AND base = 0)`
    const statements = (due: number): ReadonlyArray<Statement> => [
      { sql: `UPDATE pawl_repo SET through = through WHERE ${thisOne} AND born = ?`, params: [...key, born], rows: 1 },
      trashed(`${thisOne} AND through <= ?`, [...key, through], due),
      {
        sql: `DELETE FROM pawl_pack WHERE ${thisOne} AND through = ? AND base = 0`,
        params: [...key, through],
        rows: 1
      },
      { sql: `DELETE FROM pawl_pack WHERE ${thisOne} AND through < ?`, params: [...key, through] },
      {
        sql: `INSERT INTO pawl_pack (project_id, fork, through, base, digest, bytes, objects, object, body) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?)`,
        params: [...key, through, ...fieldsOf(base)]
      },
      {
        sql: `UPDATE pawl_repo SET hot_packs = ${hot("count(*)")}, hot_bytes = ${hot("coalesce(sum(bytes), 0)")} WHERE ${thisOne}`,
        params: [...key, ...key, ...key]
      }
    ]
    return Effect.flatMap(nowMillis, (now) => database.batch(statements(now + Limits.packGraceMs))).pipe(
      Effect.map((outcome) => outcome._tag === "Applied"),
      Effect.catchTag("SqlError", unavailable("put a base in its place")),
      Effect.withSpan("PackLog.replace", { attributes: { project: ref.project } })
    )
  }

const open =
  (database: Database["Service"]): PackLog["Service"]["open"] =>
  (ref, born) => {
    const made: Statement = {
      sql: `INSERT INTO pawl_repo (project_id, fork, born, main, through, hot_packs, hot_bytes) VALUES (?, ?, ?, NULL, 0, 0, 0)
        ON CONFLICT (project_id, fork) DO NOTHING`,
      params: [...keyOf(ref), born]
    }
    // Canonical's row is held meanwhile: who deletes it deletes this one too, or comes first.
    const beside: ReadonlyArray<Statement> =
      ref.fork === undefined
        ? []
        : [
            {
              sql: `UPDATE pawl_repo SET through = through WHERE ${thisOne}`,
              params: keyOf({ project: ref.project }),
              rows: 1
            }
          ]
    return database.batch([...beside, made]).pipe(
      Effect.map((outcome) => outcome._tag === "Applied"),
      Effect.catchTag("SqlError", unavailable("make a repository"))
    )
  }

const drop =
  (database: Database["Service"]): PackLog["Service"]["drop"] =>
  (ref) => {
    const [where, params] =
      ref.fork === undefined ? ["project_id = ?", [ref.project]] : ([thisOne, [...keyOf(ref)]] as const)
    return Effect.flatMap(nowMillis, (now) =>
      database.batch([
        // Canonical's first, as who makes a fork does: no two wait for each other.
        { sql: `UPDATE pawl_repo SET through = through WHERE ${thisOne}`, params: keyOf(ref) },
        { sql: `DELETE FROM pawl_repo WHERE ${where}`, params },
        trashed(where, params, now + Limits.packGraceMs),
        { sql: `DELETE FROM pawl_pack WHERE ${where}`, params }
      ])
    ).pipe(Effect.asVoid, Effect.catchTag("SqlError", unavailable("delete a repository")))
  }

const forgetTrash =
  (database: Database["Service"]): PackLog["Service"]["forgetTrash"] =>
  (objects) =>
    database
      .batch(
        objects.map(({ object, projectId }) => ({
          sql: "DELETE FROM pawl_trash WHERE project_id = ? AND object = ?",
          params: [projectId, object]
        }))
      )
      .pipe(Effect.asVoid, Effect.catchTag("SqlError", unavailable("empty the trash")))

const listed = (values: ReadonlyArray<unknown>): string => values.map(() => "?").join(", ")

type Asked = (
  operation: string,
  sql: string,
  params: ReadonlyArray<Parameter>
) => Effect.Effect<ReadonlyArray<Row>, LedgerUnavailable>

type SinceEach = PackLog["Service"]["sinceEach"]

/** One statement, so one moment: the heads and all that they rest on. */
const sinceEach =
  (asked: Asked): SinceEach =>
  (wanted) =>
    Effect.gen(function* () {
      const [first] = wanted
      if (first === undefined) return []
      const keys = wanted.map(([ref]) => keyOf(ref)[1])
      const held = wanted.flatMap(([ref, known]) => (known === null ? [] : [[keyOf(ref)[1], known] as const]))
      const after =
        held.length === 0 ? "0" : `CASE ${held.map(() => "WHEN r.fork = ? AND r.born = ? THEN ?").join(" ")} ELSE 0 END`
      const rows = yield* asked(
        "read packs",
        `SELECT r.fork, r.born, r.main, r.through AS repo_through, r.hot_packs, r.hot_bytes,
              p.through, p.base, p.digest, p.bytes, p.objects, p.object, p.body
            FROM pawl_repo r LEFT JOIN pawl_pack p ON p.project_id = r.project_id AND p.fork = r.fork
              AND p.through > ${after}
            WHERE r.project_id = ? AND r.fork IN (${listed(keys)}) ORDER BY r.fork, p.through`,
        [...held.flatMap(([fork, { born, through }]) => [fork, born, through]), first[0].project, ...keys]
      )
      const found = new Map<string, { readonly stands: StandingRepository; readonly packs: Array<LoggedPack> }>()
      // There may be thousands.
      for (const row of rows) {
        const fork = String(row["fork"])
        const one = found.get(fork) ?? { stands: standing(row), packs: [] }
        found.set(fork, one)
        if (row["through"] === null) continue
        const pack = packOf(row)
        if (pack === null) return yield* corrupt("pawl_pack", String(row["digest"]))
        one.packs.push(pack)
      }
      return keys.map((fork) => {
        const one = found.get(fork)
        return one === undefined ? null : { ...one.stands, packs: one.packs }
      })
    })

const reads = (asked: Asked): Pick<PackLog["Service"], "standing" | "since" | "sinceEach"> => {
  const each = sinceEach(asked)
  return {
    standing: (ref) =>
      Effect.map(
        asked("read where a repository stands", `SELECT ${stood} FROM pawl_repo WHERE ${thisOne}`, keyOf(ref)),
        ([row]) => (row === undefined ? null : standing(row))
      ),
    since: (ref, held) => Effect.map(each([[ref, held]]), ([found = null]) => found),
    sinceEach: each
  }
}

/** `PackLog` over a database whose tables are there. */
export const make = (database: Database["Service"]): PackLog["Service"] => {
  const asked: Asked = (operation, sql, params) =>
    Effect.catchTag(database.query({ sql, params }), "SqlError", (error: SqlError) => unavailable(operation)(error))
  return {
    ...reads(asked),
    open: open(database),
    append: append(database),
    replace: replace(database),
    drop: drop(database),
    crowded: (limit) =>
      Effect.map(
        asked(
          "look for many packs",
          `SELECT project_id, fork FROM pawl_repo WHERE ${crowded} ORDER BY project_id, fork LIMIT ${limit}`,
          []
        ),
        (rows) => rows.map(refOf)
      ),
    kept: (projectId, objects) =>
      objects.length === 0
        ? Effect.succeed(new Set<string>())
        : Effect.map(
            asked(
              "look for objects of packs",
              ["pawl_pack", "pawl_trash"]
                .map(
                  (table) =>
                    `SELECT object FROM ${table} WHERE project_id = ? AND object ${inJsonList[database.dialect]}`
                )
                .join(" UNION "),
              [projectId, JSON.stringify(objects), projectId, JSON.stringify(objects)]
            ),
            (rows) => new Set(rows.map((row) => String(row["object"])))
          ),
    dueTrash: (limit) =>
      Effect.flatMap(nowMillis, (now) =>
        Effect.map(
          asked(
            "read the trash",
            `SELECT project_id, object FROM pawl_trash WHERE due <= ? ORDER BY due LIMIT ${limit}`,
            [now]
          ),
          (rows) => rows.map((row) => ({ projectId: String(row["project_id"]), object: String(row["object"]) }))
        )
      ),
    forgetTrash: forgetTrash(database)
  }
}
