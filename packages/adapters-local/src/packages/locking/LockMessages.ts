/** What is said between the server and the process that makes locks. */
import { PackageProblem } from "@pawl/core/packages/PackageStore"
import { Schema } from "effect"

/** What a lock is to be made of. */
export interface LockOrder {
  readonly manifest: Uint8Array
  readonly locks: ReadonlyArray<Uint8Array>
  /** pnpm-workspace.yaml, for a lock of pnpm; null for none. */
  readonly workspace: Uint8Array | null
  readonly offline: boolean
  /** The URL of the only host that may be asked. */
  readonly registry: string
  /** More certificates that the registry's may stand on, as PEM; empty for none. */
  readonly certificates: string
  /** An empty folder of its own. */
  readonly folder: string
}

/** What the process says: whether it waits for the registry now, and at last how it ended. */
export const LockAnswer = Schema.Union([
  Schema.TaggedStruct("Asking", { asking: Schema.Boolean }),
  Schema.TaggedStruct("Locked", { text: Schema.String }),
  /** More than there is memory for. */
  Schema.TaggedStruct("TooMuch", {}),
  Schema.TaggedStruct("Refused", { problems: Schema.Array(PackageProblem) }),
  Schema.TaggedStruct("Unavailable", { reason: Schema.String })
])
export type LockAnswer = typeof LockAnswer.Type
