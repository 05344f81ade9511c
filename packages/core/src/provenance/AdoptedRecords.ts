/** What `adopted` counts: every record that the statements of the adopted generations name, each once. */
import type { Generation } from "../model/Generation.ts"
import { sha256AtOnce } from "../primitives/Digest.ts"
import { sourceSubject } from "./Facts.ts"
import type { ApprovedFact, CheckedFact, Sha } from "./Predicates.ts"
import type { Fact } from "./Statements.ts"

/** What a promotion names of records. */
export interface NamedRecords {
  readonly policy: { readonly version: number } & Sha
  readonly checks: ReadonlyArray<Pick<CheckedFact, "id" | "record">>
  readonly approvals: ReadonlyArray<Pick<ApprovedFact, "id" | "record">>
}

/** A line of a version of the Policy. */
export const policyLine = (version: number, sha256: string): string => `policyVersion ${version} ${sha256}\n`

/** The lines of one promotion: its Policy, evidence and approvals. */
export const namedLines = ({ approvals, checks, policy }: NamedRecords): ReadonlyArray<string> => [
  policyLine(policy.version, policy.sha256),
  ...checks.map(({ id, record }) => `evidence ${id} ${record.sha256}\n`),
  ...approvals.map(({ id, record }) => `approval ${id} ${record.sha256}\n`)
]

/** How many lines there are, each counted once, and the SHA-256 over all of them, sorted. */
export const adoptedRecords = (lines: Iterable<string>): { readonly count: number } & Sha => {
  const sorted = [...new Set(lines)].sort()
  return { count: sorted.length, sha256: sha256AtOnce(sorted.join("")) }
}

/** What was adopted: up to which generation, the lines of its records, and whether an audit found nothing. */
export const adoptedFact = (newest: Generation, lines: Iterable<string>, clean: boolean): Fact<"adopted"> => ({
  kind: "adopted",
  generation: newest.generation,
  subject: [sourceSubject(newest)],
  facts: { generation: newest.generation, records: adoptedRecords(lines), clean }
})
