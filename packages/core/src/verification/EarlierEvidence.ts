/**
 * Evidence of before that counts again, where the plan lets it: of the same tree, or of the same declared inputs. What
 * it answers is a row of the Candidate's own that names the one that it repeats. Nothing is run or built for it, and
 * nothing is charged.
 */
import { Effect } from "effect"
import { bundleKey, bundlePrefix } from "../bundle/Bundle.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import { clearStrays } from "../bundle/Strays.ts"
import { Records } from "../ledger/Records.ts"
import type { Evidence } from "../model/Evidence.ts"
import type { Check, Plan } from "../model/Plan.ts"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { makeUlid } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { evidenceOf } from "./CandidateEvidence.ts"
import { checkDigestOf, inputsDigestOf } from "./CheckDigest.ts"
import { shortened } from "./CheckFinding.ts"
import { type Composed, inputsOf } from "./Checks.ts"
import { reuseProblem } from "./ReuseRules.ts"
import { runnerNow } from "./RunnerNow.ts"

/** All rows of the newest Candidates of a tree. */
const ofTree = Effect.fnUntraced(function* (projectId: string, tree: string) {
  const candidates = yield* (yield* Records).list("candidate", {
    projectId,
    where: { tree },
    order: "newest",
    limit: Limits.reuseCandidates
  })
  return (yield* Effect.forEach(candidates.items, ({ record }) => evidenceOf(record.id))).flat()
})

/** The newest rows of a Project, the newest first, as far as they are young enough. */
const youngest = Effect.fnUntraced(function* (projectId: string, since: Time.Timestamp) {
  const records = yield* Records
  const rows: Array<Evidence> = []
  for (let cursor: string | null | undefined; cursor !== null && rows.length < Limits.reuseRows;) {
    const page: Effect.Success<ReturnType<typeof records.list<"evidence">>> = yield* records.list("evidence", {
      projectId,
      order: "newest",
      ...(cursor === undefined ? {} : { cursor })
    })
    rows.push(...page.items.map(({ record }) => record))
    const last = rows.at(-1)
    cursor = last === undefined || last.finishedAt < since ? null : page.nextCursor
  }
  return rows
})

/** What is looked for: a pass of this check, on these files, by what would run it now. */
interface Wanted {
  readonly check: Check
  readonly composed: Composed
  readonly reuse: NonNullable<Plan["reuse"]>
  readonly checkDigest: string
  readonly runner: { readonly digest: string; readonly guarantees: ReadonlyArray<string> }
  readonly inputsDigest?: string
  readonly now: Time.Timestamp
}

/** The row that a Candidate would have if it repeated an earlier one. */
const repeated = (
  { check, checkDigest, composed, inputsDigest, now, runner }: Wanted,
  earlier: Evidence,
  id: Evidence["id"]
): Evidence => ({
  id,
  projectId: composed.candidate.projectId,
  subject: { candidateId: composed.candidate.id },
  checkId: check.id,
  status: earlier.status,
  result: earlier.result,
  commit: composed.commit,
  tree: composed.tree,
  outputKey: earlier.outputKey,
  outputDigest: earlier.outputDigest,
  startedAt: now,
  finishedAt: now,
  runner: earlier.runner,
  summary: shortened(`as in ${earlier.id} of ${earlier.finishedAt}: ${earlier.summary}`),
  attempt: 1,
  checkDigest,
  runnerDigest: runner.digest,
  reuses: earlier.id,
  ...(inputsDigest === undefined ? {} : { inputsDigest }),
  ...(earlier.bundleDigest === undefined ? {} : { bundleDigest: earlier.bundleDigest }),
  ...(check.waived === undefined ? {} : { waived: check.waived })
})

/**
 * The last of some rows, the oldest first, that may be repeated; null for none. Where the check failed once on the same
 * files nothing is: one of both is chance.
 */
export const repeatable = (wanted: Wanted, rows: ReadonlyArray<Evidence>): Evidence | null => {
  const { check, composed, inputsDigest, reuse, runner } = wanted
  const onSame = rows.filter(
    (row) =>
      row.checkId === check.id &&
      (row.tree === composed.tree || (inputsDigest !== undefined && row.inputsDigest === inputsDigest))
  )
  if (onSame.some(({ result }) => result === "fail")) return null
  const found = onSame.findLast((row) => {
    const holds = runner.guarantees.every((guarantee) => row.runner.guarantees.includes(guarantee))
    return holds && reuseProblem(repeated(wanted, row, row.id), row, reuse) === null
  })
  return found ?? null
}

const isKept = ({ outputKey }: Evidence) =>
  outputKey === null
    ? Effect.succeed(false)
    : Effect.flatMap(ObjectStore, (objects) => objects.head(outputKey)).pipe(
        Effect.as(true),
        Effect.catchTags({ ObjectMissing: () => Effect.succeed(false), InvalidKey: () => Effect.succeed(false) })
      )

/** The bundle of an earlier build under this commit's own address, without a build; null where it is not kept whole. */
const bundleAgain = Effect.fnUntraced(
  function* (earlier: Evidence, { candidate, commit }: Composed) {
    const from = bundlePrefix("app-previews", candidate.projectId, earlier.commit)
    const kept = yield* BundleStore.find(bundleKey(from), earlier.bundleDigest)
    if (kept === null || earlier.commit === commit) return kept
    const to = bundlePrefix("app-previews", candidate.projectId, commit)
    const made = yield* BundleStore.readdress(from, to, kept, { commit, builtAt: candidate.createdAt })
    yield* clearStrays(candidate.projectId)
    return made
  },
  Effect.catchTags({ BundleDamaged: () => Effect.succeed(null), ObjectMissing: () => Effect.succeed(null) })
)

/** The row of a Candidate's build that repeats another: with the bundle at its own commit, and what decides its risk. */
const withBundle = Effect.fnUntraced(function* (row: Evidence, earlier: Evidence, composed: Composed) {
  if (earlier.bundleDigest === undefined) return row
  const made = yield* bundleAgain(earlier, composed)
  if (made === null) return null
  const inputs = yield* inputsOf(made.bundle, composed)
  return {
    ...row,
    bundleDigest: made.digest,
    ...(made.bundle.sbom === undefined ? {} : { sbom: made.bundle.sbom.sha256 }),
    ...(inputs.length === 0 ? {} : { inputs })
  } satisfies Evidence
})

/** The row of a check that repeats evidence of before; null where there is none that counts, or the plan lets none count. */
export const earlierEvidence = Effect.fnUntraced(function* (check: Check, composed: Composed) {
  const { candidate, tree } = composed
  const reuse = candidate.plan?.reuse
  if (reuse === undefined) return null
  const now = yield* Time.now
  const runner = yield* runnerNow(check)
  if (runner === null) return null
  const checkDigest = checkDigestOf(check, candidate)
  const inputsDigest = yield* declaredInputs(check, composed, { checkDigest, runnerDigest: runner.digest })
  const wanted = { check, composed, reuse, checkDigest, runner, now, ...inputsDigest }
  const sameTree = yield* ofTree(candidate.projectId, tree)
  const since = Time.fromMillis(Time.toMillis(now) - Limits.evidenceReuseMs)
  const others = inputsDigest.inputsDigest === undefined ? [] : yield* youngest(candidate.projectId, since)
  const earlier = repeatable(wanted, [...others.toReversed(), ...sameTree])
  if (earlier === null || !(yield* isKept(earlier))) return null
  return yield* withBundle(repeated(wanted, earlier, `evd_${yield* makeUlid}`), earlier, composed)
})

/** The digest of a check's declared inputs, where the plan lets them count. With the base's form of its files it has none. */
export const declaredInputs = Effect.fnUntraced(function* (
  check: Check,
  { candidate, tree }: Composed,
  digests: { readonly checkDigest: string; readonly runnerDigest: string | undefined }
) {
  const { checkDigest, runnerDigest } = digests
  const counts = candidate.plan?.reuse === "inputs" && check.inputs !== undefined && check.base === undefined
  if (!counts || runnerDigest === undefined) return {}
  return { inputsDigest: yield* inputsDigestOf(candidate, tree, { check, checkDigest, runnerDigest }) }
})
