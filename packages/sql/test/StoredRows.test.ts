/**
 * Rows that the version on Effect 3 read, and what it wrote of them: the same (`again` is missing), something else (with
 * defaults filled in, or without what no schema names, which is kept at the end now), or nothing, for it refused to read
 * them (`again` is null). What was not kept then stands behind them as it was first written.
 */
import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { type Kind, kinds } from "@pawl/core/model/Entities"
import { table } from "@pawl/sql/Tables"

interface Stored {
  readonly kind: Kind
  readonly row: string
  readonly again?: string | null
}

const stored: ReadonlyArray<Stored> = readFileSync(new URL("StoredRows.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))

/** Kinds that version had none of. */
const younger: ReadonlyArray<Kind> = [
  ...(["modelCall", "note", "claim", "review"] as const),
  ...(["statement", "particulars", "chain", "chainLog", "signingKey", "approver"] as const),
  ...(["lane", "laneEntry", "flake"] as const),
  ...(["session", "signInCode", "identity", "deviceGrant"] as const)
]
const older = kinds.filter((kind) => !younger.includes(kind))

/** What that version wrote, with the fields that records have got since then. */
const today = (kind: Kind, row: string): string => {
  if (kind === "change" && !row.includes('"reserved_usd"'))
    return row.replace(/"spent_usd":[^,}]*/, (spent) => `${spent},"reserved_usd":0`)
  // Until there was a lane, each was made on canonical.
  if (kind === "candidate") return row.replace(/"base_tree":"[0-9a-f]*"/, (tree) => `${tree},"ahead":null`)
  return kind === "policy" || kind === "policyVersion" ? row.replace('"updatedAt"', '"packages":{},"updatedAt"') : row
}

/** With the field that no schema names, when the row has it. */
const withUnknown = (again: string, row: string): string =>
  again.includes('"another":') ? again : again.replace(/\}$/, `${/,"another":("x"|\{\})/.exec(row)?.[0] ?? ""}}`)

describe("rows of an earlier version", () => {
  it.each(older)("are read and written again byte for byte, or refused, when they keep a %s", (kind) => {
    const { decode, encode } = table(kind)
    const rows = stored.filter((each) => each.kind === kind)
    expect(rows.some(({ again }) => again === undefined) && rows.some(({ again }) => again === null)).toBe(true)
    for (const { again, row } of rows)
      expect(Result.getOrNull(Result.map(decode(row), encode))).toBe(
        again === null ? null : withUnknown(today(kind, again ?? row), row)
      )
  })
})
