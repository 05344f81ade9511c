/** The SLSA verification summary of a generation that was found good: unsigned, for whoever verified to sign. */
import { hash } from "node:crypto"
import { readOnce } from "@pawl/core/primitives/StrictJson"
import { Limits } from "@pawl/core/primitives/Limits"
import { textOf } from "@pawl/core/primitives/Utf8"
import type { Material } from "@pawl/core/proof/Material"
import { summaryOf } from "@pawl/core/provenance/Summary"
import { Effect, Schema } from "effect"
import { version } from "../Version.ts"
import type { Told } from "./VerdictLines.ts"

const Policy = Schema.Struct({ allowSelfApproval: Schema.Boolean })

/** Null where nothing good was told of a promotion. Where the Policy that it names cannot be read, the lower level is claimed. */
export const unsignedSummary = Effect.fnUntraced(function* (
  material: Material,
  { findings, isOld, project, verdict }: Told
) {
  const promotion = verdict.told.find(({ statement }) => statement.kind === "promotion")
  if (promotion?.statement.kind !== "promotion" || findings.length > 0 || isOld || promotion.keyid === null) return null
  const { generation, policy } = promotion.statement.predicate
  const record = material.record === null ? null : yield* material.record("policyVersion", String(policy.version))
  const isNamed = record !== null && hash("sha256", record) === policy.sha256
  const read = isNamed ? readOnce(record, Limits.provenRecordBytes) : null
  const known = read !== null && "value" in read && Schema.is(Policy)(read.value) ? read.value : null
  const urn = (of: string) => `urn:pawl:${project}:${of}`
  return summaryOf(
    { digest: promotion.digest, payload: textOf(promotion.payload) },
    {
      origin: "urn:pawl:verify",
      version,
      allowSelfApproval: known?.allowSelfApproval ?? true,
      placesOf: () => ({
        policy: urn(`policy:${policy.version}`),
        statement: urn(`statement:${generation}`),
        repository: urn("source")
      })
    }
  )
})
