/**
 * A statement that must touch a number of rows, as one that fails when it touches another: the server then undoes the
 * batch by itself, and nobody has to look at the answer before the transaction ends.
 */
import { numbered, type Statement } from "@pawl/sql/Database"
import { codeOf } from "./PgFailures.ts"
import { PgLimits } from "./PgLimits.ts"

/** Divides by zero unless as many rows were touched. */
const met = (rows: number): string => `1 / (CASE WHEN count(*) = ${rows} THEN 1 ELSE 0 END)`

const demanding = (sql: string, rows: number): string | null => {
  if (/^\s*WITH\b/.test(sql)) return null
  if (/\bRETURNING\b/.test(sql))
    return `WITH touched AS (${sql}), demand AS (SELECT ${met(rows)} AS met FROM touched)
      SELECT demand.met, touched.* FROM demand LEFT JOIN touched ON true`
  const touched = /^\s*SELECT\b/.test(sql) ? sql : `${sql} RETURNING 1`
  return `WITH touched AS (${touched}) SELECT ${met(rows)} FROM touched`
}

const texts = new Map<string, string | null>()

/** The text of a statement that fails when it misses, with its parameters numbered; null for one that cannot be told so. */
export const textOf = ({ rows, sql }: Statement): string | null => {
  const key = `${rows ?? ""} ${sql}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const told = rows === undefined ? sql : demanding(sql, rows)
  const text = told === null ? null : numbered(told)
  if (texts.size < PgLimits.statementTexts) texts.set(key, text)
  return text
}

/** Whether this is what a missed demand says. No statement of the stores divides otherwise. */
export const isMissed = (cause: unknown): boolean => codeOf(cause) === "22012"
