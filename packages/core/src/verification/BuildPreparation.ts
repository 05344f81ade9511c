/**
 * What must be there before a source is bundled: the packages that its lock file names, and what its build command leaves.
 * The command runs in the sandbox like a check's: without network, within its limits, and against the month's time.
 */
import { Effect } from "effect"
import { AppBuilder, type BuildCommand, type BuildJob, type BuildProblem } from "../bundle/AppBuilder.ts"
import { BuildCrashed, BuildRefused, type Prepared } from "../bundle/Builds.ts"
import type { PackageProblem } from "../packages/PackageStore.ts"
import { layerOf } from "../packages/SourceLayer.ts"
import { Limits } from "../primitives/Limits.ts"
import { jobOf, lastLines, runCounted } from "./CommandRun.ts"
import { type SandboxJob, type SandboxResult, SandboxUnavailable } from "./Sandbox.ts"
import { noBudgetReason } from "./SandboxBudget.ts"
import { inSandbox, type Running } from "./SandboxSlots.ts"

/** For whom a source is prepared. */
export interface Preparing {
  /** Names the run of its build command. */
  readonly id: string
  /** Whose time and slots it takes. What belongs to no Change is named by its Project in both. */
  readonly of: { readonly projectId: string; readonly changeId: string }
  readonly running: Running
  /** The time of the source, so that a second build gives the same bytes. */
  readonly builtAtMs: number
}

const about = (code: string, message: string): BuildProblem => ({ code, message, file: null, line: null, column: null })

const ofPackage = (problem: PackageProblem): BuildProblem => ({ ...problem, column: null })

type Command = Extract<BuildCommand, { readonly _tag: "Command" }>

/** What a build command sees beside the files: the same at every run of the same source. */
const environmentOf = (builtAtMs: number): SandboxJob["environment"] => ({
  NODE_ENV: "production",
  SOURCE_DATE_EPOCH: `${Math.floor(builtAtMs / 1000)}`,
  TZ: "UTC",
  LC_ALL: "C.UTF-8"
})

/** What a command left, or why it may not be bundled. */
const leftBy = (
  { collect, command }: Command,
  { collected, outcome, output }: SandboxResult
): Effect.Effect<BuildJob["files"], BuildRefused | BuildCrashed | SandboxUnavailable> => {
  switch (outcome._tag) {
    case "Exited": {
      if (outcome.code !== 0) {
        const said = lastLines(output, Limits.buildSaidLines, Limits.buildSaidLength)
        const message = `The build command ended with exit ${outcome.code}: ${command}\n${said}`.trimEnd()
        return Effect.fail(new BuildRefused({ problems: [about("build_command_failed", message)] }))
      }
      if (collected === undefined)
        return Effect.fail(new SandboxUnavailable({ reason: "it does not say what the command left" }))
      if (collected._tag === "TooMuch") {
        const message = `What the build command left cannot be taken: ${collected.reason}. At most ${Limits.buildOutputFiles} files of ${Limits.buildOutputBytes} bytes in all are.`
        return Effect.fail(new BuildRefused({ problems: [about("build_output_refused", message)] }))
      }
      if (collected.files.size > 0) return Effect.succeed(collected.files)
      const message = `The build command ended well and left no file at ${collect.join(", ")}. Name its folder as "output" of "build" in pawl.json.`
      return Effect.fail(new BuildRefused({ problems: [about("build_output_missing", message)] }))
    }
    case "TimedOut":
      return Effect.fail(new BuildCrashed({ gap: "timed_out", reason: `no end after ${outcome.afterMs} ms` }))
    case "OutOfMemory":
      return Effect.fail(
        new BuildCrashed({
          gap: "out_of_memory",
          reason: `it used more than ${Limits.checkMemoryBytes} bytes of memory`
        })
      )
    case "Killed":
      return Effect.fail(new BuildCrashed({ gap: "killed", reason: `it was killed by ${outcome.signal}` }))
  }
}

/** Runs the command now, unless the month's time is used up: what waited long asks again. */
const run = Effect.fnUntraced(function* (
  command: Command,
  files: BuildJob["files"],
  prepared: Prepared,
  by: Preparing
) {
  const noTime = yield* noBudgetReason(by.of.projectId)
  if (noTime !== null) return yield* new BuildCrashed({ gap: "sandbox_budget_used_up", reason: noTime, lasting: true })
  const job = jobOf({
    id: by.id,
    command: command.command,
    files,
    wallMs: Limits.buildCommandMs,
    environment: environmentOf(by.builtAtMs),
    collect: { paths: command.collect, maxBytes: Limits.buildOutputBytes, maxFiles: Limits.buildOutputFiles },
    ...(prepared.packages === undefined ? {} : { packages: prepared.packages.id })
  })
  return yield* Effect.flatMap(runCounted(by.of.projectId, job), (result) => leftBy(command, result))
})

/**
 * The packages of a source, and what its build command leaves, where it has either. Fails with `BuildRefused` when the
 * source is at fault, with `BuildCrashed` when its command did not come to an end, with `Waiting` while no sandbox is free,
 * and with `PackagesUnavailable`, `SandboxUnavailable` or `BuilderUnavailable` when what should do it is away.
 */
export const prepare = (files: BuildJob["files"], by: Preparing) =>
  Effect.gen(function* () {
    const layer = yield* layerOf(files)
    const prepared: Prepared = layer === null ? {} : { packages: layer }
    const command = yield* (yield* AppBuilder).commandOf(files)
    switch (command._tag) {
      case "None":
        return prepared
      case "Refused":
        return yield* new BuildRefused({ problems: command.problems })
      case "Command": {
        const generated = yield* inSandbox(by.of, by.running, run(command, files, prepared, by))
        return { ...prepared, generated } satisfies Prepared
      }
    }
  }).pipe(
    Effect.catchTags({
      PackagesRefused: ({ problems }) => Effect.fail(new BuildRefused({ problems: problems.map(ofPackage) })),
      IsolationMissing: (missing) =>
        Effect.fail(new BuildCrashed({ gap: "isolation_missing", reason: missing.message, lasting: true })),
      SandboxUnavailable: (away) =>
        Effect.fail(
          away.lasting === true ? new BuildCrashed({ gap: "sandbox_away", reason: away.reason, lasting: true }) : away
        )
    }),
    Effect.withSpan("Builds.prepare", { attributes: { project: by.of.projectId } })
  )
