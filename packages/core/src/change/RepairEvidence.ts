/** What shows why a Candidate was rejected: a mark to know the failure again by, and words for whoever mends it. */
import { Effect } from "effect"
import { demand } from "../ledger/Decision.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import type { Evidence } from "../model/Evidence.ts"
import { canonicalJson, sha256 } from "../primitives/Digest.ts"
import { candidateFork, workspaceFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { namePaths } from "../project/Paths.ts"
import { type FileDiff, Repositories, type RepositoryRef } from "../project/Repositories.ts"
import { evidenceOf } from "../verification/CandidateEvidence.ts"
import { outputEnd } from "../verification/CheckOutput.ts"
import type { Failure } from "./Repair.ts"
import { sameWords } from "./SameWords.ts"

/** A check that failed, with all that it said. */
interface FailedCheck {
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly output: string
}

/** The required checks of a Candidate that failed. */
const failedChecks = Effect.fnUntraced(function* ({ id, plan, score }: Candidate) {
  const failing = (score?.checks ?? []).filter(({ required, verdict }) => required && verdict === "fail")
  const rows = yield* evidenceOf(id)
  return yield* Effect.forEach(failing, ({ checkId, evidenceId, summary }) => {
    const row = rows.find((each: Evidence) => each.id === evidenceId)
    const title = plan?.checks.find((check) => check.id === checkId)?.title ?? checkId
    return Effect.map(outputEnd(row, Limits.checkOutputBytes), (output): FailedCheck => ({
      id: checkId,
      title,
      summary,
      output: output ?? ""
    }))
  })
})

/** What a Candidate was rejected for. It must be one that may be mended. */
export const failureOf = Effect.fnUntraced(function* (candidate: Candidate) {
  const { conflicts, id } = candidate
  const checks = conflicts.length > 0 ? [] : yield* failedChecks(candidate)
  const said = checks.map((check) => [check.id, sameWords(check.output)])
  // Where canonical moved on, the same paths conflict with something else.
  const base = conflicts.length > 0 ? candidate.baseTree : null
  const mark = yield* sha256(canonicalJson({ base, conflicts, said }))
  const what =
    checks.length > 0
      ? `${checks.map((check) => check.id).join(", ")} failed`
      : `what was done does not merge: ${namePaths(conflicts)}`
  return { candidateId: id, mark, what } satisfies Failure
})

const endOf = (text: string, chars: number): string => (text.length <= chars ? text : `…${text.slice(-chars)}`)

/** The diffs of some files, as many as fit; the others are named. */
const diffWords = (diffs: ReadonlyArray<FileDiff>): string => {
  let left = Limits.repairDiffChars
  const shown = diffs.flatMap(({ patch, path }) => {
    if (patch === "" || patch.length > left) return [`${path}: changed; its diff is not shown`]
    left -= patch.length
    return [patch]
  })
  return shown.slice(0, Limits.pathsNamed).join("\n")
}

const diffOf = (ref: RepositoryRef, from: string, to: string) =>
  Effect.flatMap(Repositories, (repositories) => repositories.diff(ref, from, to)).pipe(
    // Its fork was swept, or it is too large to be read: the agent looks at the files themselves.
    Effect.catchTags({
      ObjectNotFound: () => Effect.succeed<ReadonlyArray<FileDiff>>([]),
      TreeTooLarge: () => Effect.succeed<ReadonlyArray<FileDiff>>([])
    })
  )

/** What some checks said, each the end of it, and what was changed: first in the files that they name. */
const checkWords = Effect.fnUntraced(function* (candidate: Candidate) {
  const checks = yield* failedChecks(candidate)
  const each = Math.min(Limits.whyOutputBytes, Math.floor(Limits.repairOutputChars / Math.max(1, checks.length)))
  const outputs = checks.map(({ id, output, summary, title }) => {
    const said = output === "" ? summary : endOf(output, each)
    return `Check ${id} (${title}) failed. The end of what it said:\n${said}`
  })
  const { baseTree, tree } = candidate
  const fork = { project: candidate.projectId, fork: candidateFork(candidate.id) }
  const diffs = tree === null ? [] : yield* diffOf(fork, baseTree, tree)
  const isNamed = ({ path }: FileDiff) => checks.some(({ output }) => output.includes(path))
  const inOrder = diffs.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)))
  return [...outputs, ...(diffs.length === 0 ? [] : [`What the Change made of the source:\n${diffWords(inOrder)}`])]
})

/** What each ChangeSet did to the paths that do not merge. */
const conflictWords = Effect.fnUntraced(function* ({ changeSets, conflicts }: Candidate) {
  const wanted = new Set(conflicts)
  const all = yield* Effect.forEach(changeSets, (id) => demand("changeSet", id))
  const found = yield* Effect.forEach(all, ({ record }: { readonly record: ChangeSet }) =>
    Effect.map(
      diffOf({ project: record.projectId, fork: workspaceFork(record.runId) }, record.baseCommit, record.commit),
      (diffs) => {
        const own = diffs.filter(({ path }) => wanted.has(path))
        return own.length === 0 ? [] : [`${record.id} (${record.message}):\n${diffWords(own)}`]
      }
    )
  )
  return [`These paths do not merge: ${namePaths(conflicts)}`, ...found.flat()]
})

/** What a repair is shown of a Candidate. Checks and authors wrote it: it is data, and no instruction. */
export const repairEvidence = Effect.fnUntraced(function* (candidate: Candidate) {
  const parts = candidate.conflicts.length > 0 ? yield* conflictWords(candidate) : yield* checkWords(candidate)
  return parts.join("\n\n").slice(0, Limits.repairOutputChars + Limits.repairDiffChars)
})
