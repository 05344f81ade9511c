/** Runs a check's command in the sandbox, within the month's time, and says what it showed. */
import { Effect } from "effect"
import type { Runner } from "../model/Evidence.ts"
import type { Check } from "../model/Plan.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import type { PackagesRefused } from "../packages/PackageStore.ts"
import { layerOf } from "../packages/SourceLayer.ts"
import { utf8 } from "../primitives/Digest.ts"
import { type Finding, gap, shortened, unrun } from "./CheckFinding.ts"
import { runnerDigestOf } from "./RunnerDigest.ts"
import { type IsolationMissing, Sandbox, type SandboxJob, type SandboxResult, SandboxUnavailable } from "./Sandbox.ts"
import { noBudgetReason, spend } from "./SandboxBudget.ts"
import { inSandbox, type Running } from "./SandboxSlots.ts"
import { textOf } from "../primitives/Utf8.ts"

/** A shell line on some files, within what a check may use. `id` names the run. */
export const jobOf = (
  options: Pick<SandboxJob, "id" | "command" | "files" | "packages" | "collect"> & {
    readonly wallMs: number
    readonly environment?: SandboxJob["environment"]
  }
): SandboxJob => ({
  id: options.id,
  command: options.command,
  files: options.files,
  ...(options.packages === undefined ? {} : { packages: options.packages }),
  ...(options.collect === undefined ? {} : { collect: options.collect }),
  environment: { CI: "true", PAWL: "true", ...options.environment },
  limits: {
    wallMs: options.wallMs,
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

/** Counts the time that a run took; one that was given up half-way counts too, or giving up would be free. */
const counted =
  (projectId: string) =>
  <E, R>(run: Effect.Effect<SandboxResult, E, R>) =>
    Effect.flatMap(Time.steadyMillis, (began) =>
      run.pipe(
        Effect.tap((result) => spend(projectId, result.finishedAtMs - result.startedAtMs)),
        Effect.onInterrupt(() =>
          Effect.ignore({ log: "Debug" })(
            Effect.flatMap(Time.steadyMillis, (now) => spend(projectId, Math.round(now - began)))
          )
        )
      )
    )

/** The end of what a command said. */
export const lastLines = (
  output: Uint8Array,
  lines: number = Limits.checkTailLines,
  length: number = Limits.checkSummaryLength
): string => {
  const said = textOf(output.subarray(-Limits.checkTailBytes)).trimEnd().split("\n")
  return said.slice(-lines).join("\n").slice(-length)
}

/** A stretch of time as people read it. */
export const inSeconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

/** Exit 0 passes and another exit fails; a command that is not there (126, 127), a time-out or a kill is a gap. */
const judge = (check: Check, result: SandboxResult): Finding => {
  const { output, outcome } = result
  const { name, version, guarantees } = result.isolation
  const runner: Runner = { isolation: name, version, guarantees }
  const runnerDigest = runnerDigestOf(result.isolation)
  const took = inSeconds(result.finishedAtMs - result.startedAtMs)
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
      const summary = pass ? `passed in ${took}` : `exit ${outcome.code} after ${took}\n${lastLines(output)}`.trimEnd()
      return {
        status: pass ? "checked_supported" : "checked_unsupported",
        result: pass ? "pass" : "fail",
        summary,
        output,
        runner,
        ...(runnerDigest === undefined ? {} : { runnerDigest }),
        worthAnotherTry: false
      }
    }
    case "TimedOut":
      return gap(
        "timed_out",
        `no end after ${inSeconds(outcome.afterMs)}: ${check.command ?? ""}\n${lastLines(output)}`.trimEnd(),
        runner,
        { output }
      )
    case "OutOfMemory":
      return gap("out_of_memory", `it used more than ${Limits.checkMemoryBytes} bytes of memory`, runner, { output })
    case "Killed":
      return gap("killed", `it was killed by ${outcome.signal}`, runner, { output })
  }
}

/** Runs a job now and counts its time against the month, for a Project. */
export const runCounted = (projectId: string, job: SandboxJob) => runJob(job).pipe(counted(projectId))

/** One run of a check's command. */
interface CommandRun<E, R> {
  readonly check: Check
  /** Whose work it is: the Project's time, and the Change's sandboxes. */
  readonly of: { readonly projectId: string; readonly changeId: string }
  readonly running: Running
  /** Names the run. */
  readonly id: string
  /** The files that it runs on; read only when there is a sandbox. */
  readonly files: Effect.Effect<SandboxJob["files"], E, R>
}

/** The source names packages that nobody may have: its checks fail, as its build does. */
const packagesFinding = (refused: PackagesRefused): Finding => ({
  status: "checked_unsupported",
  result: "fail",
  summary: shortened(refused.message),
  output: utf8(`${refused.message}\n`),
  runner: unrun,
  worthAnotherTry: false
})

/** Runs the command now, unless the month's time is used up: what waited long asks again. */
const runNow = Effect.fnUntraced(function* <E, R>({ check, files, id, of: { projectId } }: CommandRun<E, R>) {
  const noTime = yield* noBudgetReason(projectId)
  if (noTime !== null) return gap("sandbox_budget_used_up", noTime, unrun, { final: true })
  const source = yield* files
  const command = check.command ?? "false"
  return yield* layerOf(source).pipe(
    Effect.map((layer) =>
      jobOf({
        id,
        command,
        files: source,
        wallMs: check.timeoutMs,
        ...(layer === null ? {} : { packages: layer.id })
      })
    ),
    Effect.flatMap((job) => runCounted(projectId, job)),
    Effect.map((result) => judge(check, result)),
    // What could not be run says nothing about the check.
    Effect.catchTags({
      PackagesRefused: (refused) => Effect.succeed(packagesFinding(refused)),
      PackagesUnavailable: (away) => Effect.succeed({ ...gap("registry_away", away.message, unrun), away }),
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

/** What a check's command shows, run when a sandbox is free. Fails with `Waiting` when that takes long. */
export const commandFinding = <E, R>(run: CommandRun<E, R>) =>
  Effect.gen(function* () {
    if (run.check.command === undefined)
      return gap(
        "check_undefined",
        `the source does not define the check ${run.check.id}; add it to pawl.json`,
        unrun,
        { final: true }
      )
    return yield* inSandbox(run.of, run.running, runNow(run))
  })
