/** A file of a composed tree that no ChangeSet wrote: Pawl made it of what they wrote. */
import { Schema } from "effect"
import { ChangeSetId, Sha256 } from "../primitives/Ids.ts"

/** It stands in the merge of one ChangeSet, instead of what git makes of it. */
export const DerivedFile = Schema.Struct({
  /** `package-lock.json`, `pnpm-lock.yaml`, or `package.json` where both sides altered it. */
  path: Schema.String,
  /** In whose merge it stands. */
  changeSet: ChangeSetId,
  /** `made`: a lock for a package.json that moved on without it. `merged`: of what both sides made of it. */
  why: Schema.Literals(["made", "merged"]),
  /** SHA-256 of its bytes, in hex. */
  sha256: Sha256
})
export interface DerivedFile extends Schema.Schema.Type<typeof DerivedFile> {}
