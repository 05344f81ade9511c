/**
 * Statements that lie: what they say is changed, and all after them is linked, counted and logged anew, as whoever has the
 * database can. What is left to find them by is what the records tell.
 */
import { Effect } from "effect"
import type { Chain } from "@pawl/core/model/Chain"
import type { RecordOf } from "@pawl/core/model/Entities"
import type { Particulars } from "@pawl/core/model/Particulars"
import { type Statement, statementKey, type StatementKind } from "@pawl/core/model/Statement"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import { canonicalJson, sha256AtOnce, utf8 } from "@pawl/core/primitives/Digest"
import { extended } from "@pawl/core/provenance/Edge"
import type { Tamper } from "./AuditCrimes.ts"

/** A payload, as a liar changes it. */
export interface Said {
  subject: Array<{ name: string; digest: Record<string, string> }>
  predicate: Record<string, unknown>
}

/** One lie: of the newest statement of a kind about a generation. */
export interface Lie {
  readonly what: string
  readonly kind: StatementKind
  readonly generation: number
  readonly change: (said: Said) => void
  /** What is changed beside it, so that only other records tell. */
  readonly particulars?: (kept: Particulars) => object
}

/** The digests of release statements are named by what came after: a liar names the new ones. */
const named = (said: Said, renamed: ReadonlyMap<string, string>): void => {
  const release = said.predicate["release"] as { sha256: string } | null | undefined
  if (release === null || release === undefined) return
  said.predicate["release"] = { sha256: renamed.get(release.sha256) ?? release.sha256 }
}

/** A Project's records as a liar leaves them. */
export const lied = Effect.fnUntraced(function* (projectId: string, lie: Lie) {
  const { items } = yield* (yield* Records).list("statement", { projectId, limit: "all" })
  const statements = items.map(({ record }) => record).toSorted((one, other) => one.entry - other.entry)
  const target = statements.findLast(({ generation, kind }) => kind === lie.kind && generation === lie.generation)
  const renamed = new Map<string, string>()
  const changed = new Map<string, Statement>()
  let edge: ReadonlyArray<string> = []
  let previous: string | null = null
  for (const each of statements) {
    const said = JSON.parse(each.payload) as Said
    if (each === target) lie.change(said)
    named(said, renamed)
    said.predicate["previous"] = previous === null ? null : { sha256: previous }
    const payload = canonicalJson(said)
    const digest = sha256AtOnce(payload)
    renamed.set(each.digest, digest)
    changed.set(statementKey(each.chain, each.entry), { ...each, payload, digest })
    edge = extended(edge, each.entry, utf8(payload))
    previous = digest
  }
  const chain: Chain = { ...(yield* demand("chain", projectId)).record, digest: previous, edge }
  const tamper: Tamper = (kind, record) => {
    const as = (other: unknown) => other as typeof record
    if (kind === "chain") return as(chain)
    if (kind === "statement") {
      const { chain: of, entry } = record as RecordOf<"statement">
      return as(changed.get(statementKey(of, entry)) ?? record)
    }
    if (kind !== "particulars") return record
    const kept = record as Particulars
    const own = kept.entry === target?.entry ? { ...kept, ...lie.particulars?.(kept) } : kept
    return as("release" in own && own.release !== null ? { ...own, release: renamed.get(own.release) } : own)
  }
  return { tamper, found: target !== undefined }
})
