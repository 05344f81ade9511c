/** The evidence rows of a Candidate, as the gate, a promotion, a preview and a release read them. */
import { Effect } from "effect"
import { find } from "../ledger/Decision.ts"
import type { Evidence } from "../model/Evidence.ts"
import { Records } from "../ledger/Records.ts"

/** All rows of a Candidate, oldest first. */
export const evidenceOf = Effect.fnUntraced(function* (candidateId: string) {
  const page = yield* (yield* Records).list("evidence", { where: { subject: candidateId }, limit: "all" })
  return page.items.map((each) => each.record)
})

/** The rows of other Candidates that some rows repeat, each once. Nothing is read where none does. */
export const repeatedBy = Effect.fnUntraced(function* (rows: ReadonlyArray<Evidence>) {
  const ids = new Set(rows.flatMap(({ reuses }) => (reuses === undefined ? [] : [reuses])))
  const found = yield* Effect.forEach(ids, (id) => find("evidence", id))
  return found.flatMap((stored) => (stored === null ? [] : [stored.record]))
})

/** The row of the `build` check that passed. Undefined without such a check. */
export const verifiedBuild = (candidateId: string) =>
  Effect.map(evidenceOf(candidateId), (rows) =>
    rows.findLast((row) => row.checkId === "build" && row.result === "pass")
  )

/** The digest of the bundle that the `build` check passed; it alone may be served. Undefined without such a check. */
export const verifiedDigest = (candidateId: string) =>
  Effect.map(verifiedBuild(candidateId), (row) => row?.bundleDigest)
