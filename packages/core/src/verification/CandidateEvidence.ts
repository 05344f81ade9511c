/** The evidence rows of a Candidate, as the gate, a promotion, a preview and a release read them. */
import { Effect } from "effect"
import { Records } from "../ledger/Records.ts"

/** All rows of a Candidate, oldest first. */
export const evidenceOf = Effect.fnUntraced(function* (candidateId: string) {
  const page = yield* (yield* Records).list("evidence", { where: { subject: candidateId }, limit: "all" })
  return page.items.map((each) => each.record)
})

/** The digest of the bundle that the `build` check passed; it alone may be served. Undefined without such a check. */
export const verifiedDigest = (candidateId: string) =>
  Effect.map(
    evidenceOf(candidateId),
    (rows) => rows.findLast((row) => row.checkId === "build" && row.result === "pass")?.bundleDigest
  )
