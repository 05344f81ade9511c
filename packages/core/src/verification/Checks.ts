/** Runs one check of a plan and says what it showed: supported or not, pass, fail or gap. */
import { Effect } from "effect"
import { bundleOf, formatProblem, usedUpReason } from "../bundle/Builds.ts"
import type { Bundle } from "../bundle/Bundle.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import { AppBuilder } from "../bundle/AppBuilder.ts"
import type { Runner } from "../model/Evidence.ts"
import { sha256, utf8 } from "../primitives/Digest.ts"
import { candidateFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import {
  type ObjectNotFound,
  Repositories,
  type RepositoriesUnavailable,
  type TreeTooLarge
} from "../project/Repositories.ts"
import { changedFiles, filesFor } from "./BaseForms.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Check } from "../model/Plan.ts"
import { type Finding, gap, shortened, unrun } from "./CheckFinding.ts"
import { commandFinding } from "./CommandRun.ts"
import { prepare } from "./BuildPreparation.ts"
import { concernInWords, refusedPackages } from "./PackageRules.ts"
import { builderDigest } from "./RunnerNow.ts"
import type { Running } from "./SandboxSlots.ts"
import type { SandboxJob } from "./Sandbox.ts"

/** A Candidate that is composed, as all of its checks see it. */
export interface Composed {
  readonly candidate: Candidate
  readonly commit: string
  readonly tree: string
  /** The files of the composed tree, read once for all checks. */
  readonly files: Effect.Effect<SandboxJob["files"], ObjectNotFound | TreeTooLarge | RepositoriesUnavailable>
  readonly running: Running
}

/** One try of a check. Never fails for what the check found; only when the store or git cannot be used, or it must wait. */
const runCheck = (check: Check, composed: Composed, attempt: number) => {
  switch (check.kind) {
    case "build":
      return runBuild(composed, attempt)
    case "command":
      return runCommand(check, composed, attempt)
    case "tree-equals":
      return compareTree(check, composed)
    case "packages":
      return Effect.succeed(judgedPackages(composed))
  }
}

/** The packages that the plan found refused, in words. */
const judgedPackages = ({ candidate: { plan } }: Composed): Finding => {
  const refused = plan === null ? [] : refusedPackages(plan.packages ?? null).map((each) => concernInWords(each, plan))
  const text = refused.join("\n")
  return {
    status: refused.length === 0 ? "checked_supported" : "checked_unsupported",
    result: refused.length === 0 ? "pass" : "fail",
    summary: refused.length === 0 ? "the Policy takes its packages" : shortened(text),
    output: utf8(`${text}\n`),
    runner: comparison,
    worthAnotherTry: false
  }
}

const comparison: Runner = { ...unrun, isolation: "comparison" }

/** Reads the commit's own tree from the repository: what was recorded of it proves nothing. */
const compareTree = (check: Check, composed: Composed) =>
  Effect.flatMap(Repositories, (repositories) =>
    repositories.resolve(
      { project: composed.candidate.projectId, fork: candidateFork(composed.candidate.id) },
      composed.commit
    )
  ).pipe(
    Effect.map(({ tree }): Finding => {
      const equal = check.tree === tree && composed.tree === tree
      const summary = equal ? `the tree is ${tree}` : `the tree is ${tree}, not ${check.tree}`
      return {
        status: equal ? "checked_supported" : "checked_unsupported",
        result: equal ? "pass" : "fail",
        summary,
        output: utf8(`${summary}\n`),
        runner: comparison,
        worthAnotherTry: false
      }
    }),
    Effect.catchTag("ObjectNotFound", (missing) =>
      Effect.succeed(gap("commit_missing", `${missing.what} ${missing.id} is not there`, comparison))
    )
  )

const runBuild = Effect.fnUntraced(function* (composed: Composed, attempt: number) {
  const builder = (yield* AppBuilder).version
  const runner: Runner = {
    isolation: "builder",
    version: `${builder.name} ${builder.version}`,
    guarantees: ["memory-limited", "time-limited"]
  }
  // Asked for only where it may count: it proves a sandbox that a build may not need.
  const runnerDigest = composed.candidate.plan?.reuse === undefined ? undefined : yield* builderDigest
  return yield* bundleOf({
    kind: "app-previews",
    project: composed.candidate.projectId,
    files: composed.files,
    prepare: (files, expect) =>
      prepare(files, {
        expect,
        id: `${composed.candidate.id}-build-${attempt}`,
        of: composed.candidate,
        running: composed.running,
        builtAtMs: Time.toMillis(composed.candidate.createdAt)
      }),
    commit: composed.commit,
    tree: composed.tree,
    builtAt: composed.candidate.createdAt
  }).pipe(
    Effect.flatMap((built) => Effect.map(inputsOf(built.bundle, composed), (inputs) => ({ ...built, inputs }))),
    Effect.map((built): Finding => {
      const assets = Object.keys(built.bundle.assets.manifest).length
      const what = `built ${Object.keys(built.bundle.modules).length} module(s) and ${assets} asset(s) with ${runner.version}`
      const warnings = (built.bundle.warnings ?? []).map(formatProblem)
      const summary = shortened([what, ...warnings].join("\n"))
      return {
        status: "checked_supported",
        result: "pass",
        summary,
        // The build's output is the bundle itself: the digest of the output is the bundle's.
        output: BundleStore.encode(built.bundle),
        runner,
        bundleDigest: built.digest,
        ...(runnerDigest === undefined ? {} : { runnerDigest }),
        ...(built.bundle.sbom === undefined ? {} : { sbom: built.bundle.sbom.sha256 }),
        ...(built.inputs.length === 0 ? {} : { inputs: built.inputs }),
        worthAnotherTry: false
      }
    }),
    Effect.catchTags({
      BuildRefused: (refused) => {
        const text = refused.problems.map(formatProblem).join("\n")
        return Effect.succeed<Finding>({
          status: "checked_unsupported",
          result: "fail",
          summary: shortened(text),
          output: utf8(`${text}\n`),
          runner,
          worthAnotherTry: false
        })
      },
      BuildCrashed: (crash) =>
        Effect.succeed(
          gap(crash.gap ?? "bundler_crashed", crash.message, runner, crash.lasting === true ? { final: true } : {})
        ),
      PackagesUnavailable: (away) => Effect.succeed({ ...gap("registry_away", away.message, runner), away }),
      SandboxUnavailable: (away) => Effect.succeed({ ...gap("sandbox_away", away.message, runner), away }),
      BuilderUnavailable: (away) => Effect.succeed({ ...gap("builder_away", away.message, runner), away }),
      BuildCapReached: (cap) => Effect.succeed(gap("builds_used_up", usedUpReason(cap), runner, { final: true }))
    })
  )
})

/**
 * The changed files that the bundle holds as modules of their own: text and data, which alone can be of a kind that
 * nobody runs. Nobody asks where the risk is not low.
 */
export const inputsOf = Effect.fnUntraced(function* (bundle: Bundle, { candidate, files, tree }: Composed) {
  if (candidate.plan?.riskTier !== "low") return []
  const modules = new Set(Object.values(bundle.modules).map(({ sha256: digest }) => digest))
  const { brought } = yield* changedFiles(
    { project: candidate.projectId, fork: candidateFork(candidate.id) },
    candidate.baseTree,
    tree
  )
  const content = yield* files
  const found = yield* Effect.filter(brought, (path) =>
    Effect.map(sha256(content.get(path)?.content ?? new Uint8Array()), (digest) => modules.has(digest))
  )
  return found.slice(0, Limits.pathsNamed)
})

const runCommand = (check: Check, composed: Composed, attempt: number) => {
  const { candidate, running } = composed
  const id = `${candidate.id}-${check.id}-${attempt}`
  return commandFinding({ check, of: candidate, running, id, files: filesFor(check, composed) })
}

/** A try of a check that showed nothing, before another one. */
export interface MissedTry {
  readonly checkId: string
  /** From 1 on. */
  readonly attempt: number
  /** What ran, and how it ended. */
  readonly reason: string
  readonly tookMs: number
}

/**
 * Tries a check until it shows something, at most `Limits.checkGapAttempts` times, and tells each try that showed nothing
 * before the next. `triedBefore` says how many tries it had already: each has a number, and a sandbox, of its own. Fails when what should run it was away at the last of them: that says nothing about the check, which is
 * asked for again when it is back.
 */
export const runCheckWithRetries = Effect.fnUntraced(function* <R>(
  check: Check,
  composed: Composed,
  missed: (missed: MissedTry) => Effect.Effect<void, never, R>,
  triedBefore = 0
) {
  const startedAt = yield* Time.now
  for (let attempt = 1; ; attempt++) {
    const begunAtMs = yield* Time.steadyMillis
    const finding = yield* runCheck(check, composed, triedBefore + attempt)
    const isLast = attempt >= Limits.checkGapAttempts
    if (isLast && finding.away !== undefined) return yield* finding.away
    if (finding.result !== "gap" || !finding.worthAnotherTry || isLast)
      return { finding, attempt: triedBefore + attempt, startedAt, finishedAt: yield* Time.now }
    const tookMs = Math.round((yield* Time.steadyMillis) - begunAtMs)
    // What is away shows nothing of the check: if it stays away, the whole waits, and says so.
    if (finding.away !== undefined) continue
    yield* missed({ checkId: check.id, attempt, reason: finding.summary, tookMs })
  }
})
