/** Runs one check of a plan and says what it showed: supported or not, pass, fail or gap. */
import { Effect } from "effect"
import { bundleOf, formatProblem, usedUpReason } from "../bundle/Builds.ts"
import type { Bundle } from "../bundle/Bundle.ts"
import * as BundleStore from "../bundle/BundleStore.ts"
import { AppBuilder, type BuilderUnavailable } from "../bundle/AppBuilder.ts"
import type { EvidenceResult, EvidenceStatus, GapCode, Runner } from "../model/Evidence.ts"
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
import { noBudgetReason, spend } from "./SandboxBudget.ts"
import { inSandbox, type Running } from "./SandboxSlots.ts"
import { type IsolationMissing, Sandbox, type SandboxJob, type SandboxResult, SandboxUnavailable } from "./Sandbox.ts"

declare const TextDecoder: { new (): { decode(bytes: Uint8Array): string } }

/** What one try of a check showed. */
export interface Finding {
  readonly status: EvidenceStatus
  readonly result: EvidenceResult
  /** One or a few lines for a person. */
  readonly summary: string
  /** Of a gap. */
  readonly gap?: GapCode
  /** The whole of what it said, or the bundle.json of a build. */
  readonly output: Uint8Array
  readonly runner: Runner
  /** Of a build: SHA-256 of its bundle.json. */
  readonly bundleDigest?: string
  /** Changed files that the bundle holds as modules, where that decides the risk. */
  readonly inputs?: ReadonlyArray<string>
  /** Whether another try in a new sandbox could show more. */
  readonly worthAnotherTry: boolean
  /** What should have run it is away: the check showed nothing, and waits. */
  readonly away?: BuilderUnavailable | SandboxUnavailable
}

/** A Candidate that is composed, as all of its checks see it. */
export interface Composed {
  readonly candidate: Candidate
  readonly commit: string
  readonly tree: string
  /** The files of the composed tree, read once for all checks. */
  readonly files: Effect.Effect<SandboxJob["files"], ObjectNotFound | TreeTooLarge | RepositoriesUnavailable>
  readonly running: Running
}

const unrun = { isolation: "none", version: "", guarantees: [] }

const gap = (
  code: GapCode,
  summary: string,
  runner: Runner,
  options?: { readonly output?: Uint8Array; readonly final?: boolean }
): Finding => ({
  status: "not_checked",
  result: "gap",
  gap: code,
  summary,
  output: options?.output ?? utf8(`${summary}\n`),
  runner,
  worthAnotherTry: options?.final !== true
})

/** One try of a check. Never fails for what the check found; only when the store or git cannot be used, or it must wait. */
const runCheck = (check: Check, composed: Composed, attempt: number) => {
  switch (check.kind) {
    case "build":
      return runBuild(composed)
    case "command":
      return runCommand(check, composed, attempt)
    case "tree-equals":
      return compareTree(check, composed)
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

const shortened = (text: string): string =>
  text.length > Limits.checkSummaryLength ? `${text.slice(0, Limits.checkSummaryLength)} …` : text

const runBuild = Effect.fnUntraced(function* (composed: Composed) {
  const builder = (yield* AppBuilder).version
  const runner: Runner = {
    isolation: "builder",
    version: `${builder.name} ${builder.version}`,
    guarantees: ["memory-limited", "time-limited"]
  }
  return yield* bundleOf({
    kind: "app-previews",
    project: composed.candidate.projectId,
    files: composed.files,
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
      BuildCrashed: (crash) => Effect.succeed(gap("bundler_crashed", crash.message, runner)),
      BuilderUnavailable: (away) => Effect.succeed({ ...gap("builder_away", away.message, runner), away }),
      BuildCapReached: (cap) => Effect.succeed(gap("builds_used_up", usedUpReason(cap), runner, { final: true }))
    })
  )
})

/**
 * The changed files that the bundle holds as modules of their own: text and data, which alone can be of a kind that
 * nobody runs. Nobody asks where the risk is not low.
 */
const inputsOf = Effect.fnUntraced(function* (bundle: Bundle, { candidate, files, tree }: Composed) {
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

const jobOf = (check: Check, composed: Composed, files: SandboxJob["files"], attempt: number): SandboxJob => ({
  id: `${composed.candidate.id}-${check.id}-${attempt}`,
  command: check.command ?? "false",
  files,
  environment: { CI: "true", PAWL: "true" },
  limits: {
    wallMs: check.timeoutMs,
    cpuSeconds: Limits.checkCpuSeconds,
    memoryBytes: Limits.checkMemoryBytes,
    processes: Limits.checkProcesses,
    diskBytes: Limits.checkDiskBytes,
    outputBytes: Limits.checkOutputBytes
  }
})

const runJob = Effect.fnUntraced(function* (
  job: SandboxJob
): Effect.fn.Return<SandboxResult, IsolationMissing | SandboxUnavailable, Sandbox> {
  const sandbox = yield* Sandbox
  return yield* Effect.acquireUseRelease(
    sandbox.start(job),
    (handle) =>
      sandbox.poll(handle, Limits.jobPollMs).pipe(
        Effect.repeat({ until: (state) => state._tag === "Finished" }),
        Effect.flatMap((state) =>
          state._tag === "Finished"
            ? Effect.succeed(state.result)
            : Effect.fail(new SandboxUnavailable({ reason: "the job was lost" }))
        ),
        // A runner that never answers must not hold the Candidate for ever.
        Effect.timeoutOrElse({
          duration: job.limits.wallMs + Limits.sandboxAnswerMs,
          orElse: () => Effect.fail(new SandboxUnavailable({ reason: "the sandbox does not answer" }))
        })
      ),
    (handle) => sandbox.cancel(handle)
  )
})

const runCommand = Effect.fnUntraced(function* (check: Check, composed: Composed, attempt: number) {
  if (check.command === undefined)
    return gap("check_undefined", `the source does not define the check ${check.id}; add it to pawl.json`, unrun, {
      final: true
    })
  return yield* inSandbox(composed.candidate, composed.running, commandIn(check, composed, attempt))
})

/** Runs the command now, unless the month's time is used up: what waited long asks again. */
const commandIn = Effect.fnUntraced(function* (check: Check, composed: Composed, attempt: number) {
  const { projectId } = composed.candidate
  const noTime = yield* noBudgetReason(projectId)
  if (noTime !== null) return gap("sandbox_budget_used_up", noTime, unrun, { final: true })
  const files = yield* filesFor(check, composed)
  return yield* runJob(jobOf(check, composed, files, attempt)).pipe(
    counted(projectId),
    Effect.map((result) => judge(check, result)),
    Effect.catchTags({
      IsolationMissing: (missing) =>
        Effect.succeed(
          gap("isolation_missing", `not run: ${missing.reason}. ${missing.remedy}`, unrun, { final: true })
        ),
      SandboxUnavailable: (away) =>
        Effect.succeed(
          away.lasting === true
            ? gap("sandbox_away", `no sandbox can run it: ${away.reason}`, unrun, { final: true })
            : { ...gap("sandbox_away", `the sandbox failed: ${away.reason}`, unrun), away }
        )
    })
  )
})

/** Counts the time that a run took; one that was given up half-way counts too, or giving up would be free. */
const counted =
  (projectId: string) =>
  <E, R>(run: Effect.Effect<SandboxResult, E, R>) =>
    Effect.flatMap(Time.nowMillis, (began) =>
      run.pipe(
        Effect.tap((result) => spend(projectId, result.finishedAtMs - result.startedAtMs)),
        Effect.onInterrupt(() =>
          Effect.ignore({ log: "Debug" })(Effect.flatMap(Time.nowMillis, (now) => spend(projectId, now - began)))
        )
      )
    )

const lastLines = (output: Uint8Array): string => {
  const lines = new TextDecoder().decode(output.subarray(-Limits.checkTailBytes)).trimEnd().split("\n")
  return lines.slice(-Limits.checkTailLines).join("\n").slice(-Limits.checkSummaryLength)
}

/** Exit 0 passes and another exit fails; a command that is not there (126, 127), a time-out or a kill is a gap. */
const judge = (check: Check, result: SandboxResult): Finding => {
  const { output, outcome } = result
  const { name, version, guarantees } = result.isolation
  const runner: Runner = { isolation: name, version, guarantees }
  const seconds = Math.round((result.finishedAtMs - result.startedAtMs) / 100) / 10
  switch (outcome._tag) {
    case "Exited": {
      if (outcome.code === 126 || outcome.code === 127)
        return gap(
          "command_not_found",
          `the command was not found or cannot be run (exit ${outcome.code}): ${check.command}`,
          runner,
          {
            output
          }
        )
      const pass = outcome.code === 0
      const summary = pass
        ? `passed in ${seconds} s`
        : `exit ${outcome.code} after ${seconds} s\n${lastLines(output)}`.trimEnd()
      return {
        status: pass ? "checked_supported" : "checked_unsupported",
        result: pass ? "pass" : "fail",
        summary,
        output,
        runner,
        worthAnotherTry: false
      }
    }
    case "TimedOut":
      return gap("timed_out", `no end after ${outcome.afterMs} ms`, runner, { output })
    case "OutOfMemory":
      return gap("out_of_memory", `it used more than ${Limits.checkMemoryBytes} bytes of memory`, runner, { output })
    case "Killed":
      return gap("killed", `it was killed by ${outcome.signal}`, runner, { output })
  }
}

/**
 * Tries a check until it shows something, at most `Limits.checkGapAttempts` times. Fails when what should run it was away
 * at the last of them: that says nothing about the check, which is asked for again when it is back.
 */
export const runCheckWithRetries = Effect.fnUntraced(function* (check: Check, composed: Composed) {
  const startedAt = yield* Time.now
  for (let attempt = 1; ; attempt++) {
    const finding = yield* runCheck(check, composed, attempt)
    const isLast = attempt >= Limits.checkGapAttempts
    if (isLast && finding.away !== undefined) return yield* finding.away
    if (finding.result !== "gap" || !finding.worthAnotherTry || isLast)
      return { finding, attempt, startedAt, finishedAt: yield* Time.now }
  }
})
