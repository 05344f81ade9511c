/** What ran a check, as one digest. */
import { canonicalJson, sha256AtOnce } from "../primitives/Digest.ts"
import type { Isolation } from "./Sandbox.ts"

/** SHA-256 of an isolation with its tools; undefined where it does not say which it has. */
export const runnerDigestOf = ({ name, tools, version }: Pick<Isolation, "name" | "version" | "tools">) =>
  tools === undefined ? undefined : sha256AtOnce(canonicalJson({ name, version, tools }))

/** SHA-256 of a builder, and of the sandbox in which it runs a source's own command: null where there is none. */
export const builderDigestOf = (version: string, sandbox: string | null): string =>
  sha256AtOnce(canonicalJson({ name: "builder", version, sandbox }))
