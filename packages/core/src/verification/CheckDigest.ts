/** What is the same where two runs of a check are the same: what was asked, what ran it, and which files it saw. */
import { Effect } from "effect"
import type { Candidate } from "../model/Candidate.ts"
import type { Check } from "../model/Plan.ts"
import { canonicalJson, sha256, sha256AtOnce } from "../primitives/Digest.ts"
import { candidateFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { fitsGlob } from "../project/Globs.ts"
import { Repositories } from "../project/Repositories.ts"
import { buildEnvironment } from "./BuildPreparation.ts"
import { jobOf } from "./CommandRun.ts"

const asked = ({ command = "", kind, timeoutMs }: Check) => {
  const isBuild = kind === "build"
  return jobOf({
    id: "",
    command,
    files: new Map(),
    wallMs: isBuild ? Limits.buildCommandMs : timeoutMs,
    ...(isBuild ? { environment: buildEnvironment(0) } : {})
  })
}

/**
 * SHA-256 of what a check asks. With the base's form of its files it asks for that base too: other bases have other
 * forms.
 */
export const checkDigestOf = (check: Check, { baseTree }: Pick<Candidate, "baseTree">): string => {
  const { base, inputs, kind, timeoutMs } = check
  const { command, environment, limits } = asked(check)
  const asks = { kind, command, environment, limits, timeoutMs, inputs: inputs ?? null }
  return sha256AtOnce(canonicalJson({ ...asks, base: base === undefined ? null : { ...base, tree: baseTree } }))
}

/** Of which check and runner a digest of inputs is. */
export interface Inputs {
  readonly check: Check
  readonly checkDigest: string
  readonly runnerDigest: string
}

/** SHA-256 of both digests and of path, mode and blob of each file that a check with declared inputs sees. */
export const inputsDigestOf = Effect.fnUntraced(function* (
  candidate: Pick<Candidate, "id" | "projectId">,
  tree: string,
  { check: { inputs = [] }, checkDigest, runnerDigest }: Inputs
) {
  const ref = { project: candidate.projectId, fork: candidateFork(candidate.id) }
  const entries = yield* Effect.flatMap(Repositories, (repositories) => repositories.list(ref, tree))
  const files = entries
    .filter(({ path, type }) => type === "file" && inputs.some((glob) => fitsGlob(glob, path)))
    .map(({ executable, id, path }) => [path, executable ? "100755" : "100644", id] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return yield* sha256(canonicalJson({ check: checkDigest, runner: runnerDigest, files }))
})
