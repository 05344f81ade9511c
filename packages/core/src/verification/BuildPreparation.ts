/**
 * What must be there before a source is bundled: the packages that its lock file names, and what its build command leaves.
 * The command runs in the sandbox like a check's: without network, within its limits, and against the month's time.
 */
import { Effect } from "effect"
import { AppBuilder, type BuildCommand, type BuildJob, type BuildProblem } from "../bundle/AppBuilder.ts"
import { BuildCrashed, BuildRefused, type Prepared } from "../bundle/Builds.ts"
import type { PackageProblem } from "../packages/PackageStore.ts"
import { readManifest } from "../packages/PackageManifest.ts"
import { layerOf } from "../packages/SourceLayer.ts"
import { Limits } from "../primitives/Limits.ts"
import { packageFile } from "../project/PackageScripts.ts"
import { inSeconds, jobOf, lastLines, runCounted } from "./CommandRun.ts"
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
  /** Told what there is when its build command begins. */
  readonly expect?: (prepared: Prepared) => Effect.Effect<void>
}

const about = (code: string, message: string): BuildProblem => ({ code, message, file: null, line: null, column: null })

const ofPackage = (problem: PackageProblem): BuildProblem => ({ ...problem, column: null })

type Command = Extract<BuildCommand, { readonly _tag: "Command" }>

/** What a build command sees beside the files: the same at every run of the same source. */
export const buildEnvironment = (builtAtMs: number): SandboxJob["environment"] => ({
  NODE_ENV: "production",
  SOURCE_DATE_EPOCH: `${Math.floor(builtAtMs / 1000)}`,
  TZ: "UTC",
  LC_ALL: "C.UTF-8"
})

/**
 * Why a command may have failed that had no packages, though package.json asks for some: nothing says which ones. Null where
 * there is a lock, nothing is asked for, or the source brings its own `node_modules`.
 */
const unlocked = (files: BuildJob["files"], { packages }: Prepared): string | null => {
  const manifest = files.get(packageFile)
  if (packages !== undefined || manifest === undefined) return null
  if ([...files.keys()].some((path) => path.startsWith("node_modules/"))) return null
  const read = readManifest(manifest.content)
  if ("wrong" in read || read.dependencies.length === 0) return null
  // A lock of such dependencies would be refused.
  const foreign = read.problems.filter(({ code }) => code === "package_source").slice(0, Limits.packagesNamed)
  if (foreign.length > 0)
    return foreign.map(({ line, message }) => `${packageFile}${line === null ? "" : `:${line}`}: ${message}`).join("\n")
  return "There is no lock file, so none of the packages that package.json asks for was there: run `npm install --package-lock-only`, and commit package-lock.json."
}

/** What a command left, or why it may not be bundled. */
const leftBy = (
  { collect, command }: Command,
  { collected, outcome, output }: SandboxResult,
  hint: string | null
): Effect.Effect<BuildJob["files"], BuildRefused | BuildCrashed | SandboxUnavailable> => {
  switch (outcome._tag) {
    case "Exited": {
      if (outcome.code !== 0) {
        const said = lastLines(output, Limits.buildSaidLines, Limits.buildSaidLength)
        const why = hint === null ? "" : `\n${hint}`
        const message = `The build command ended with exit ${outcome.code}: ${command}${why}\n${said}`.trimEnd()
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
    case "TimedOut": {
      const said = lastLines(output, Limits.buildSaidLines, Limits.buildSaidLength)
      const reason = `no end after ${inSeconds(outcome.afterMs)}: ${command}\n${said}`.trimEnd()
      return Effect.fail(new BuildCrashed({ gap: "timed_out", reason }))
    }
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
    environment: buildEnvironment(by.builtAtMs),
    collect: { paths: command.collect, maxBytes: Limits.buildOutputBytes, maxFiles: Limits.buildOutputFiles },
    ...(prepared.packages === undefined ? {} : { packages: prepared.packages.id })
  })
  // The command first: it is what takes time.
  const [result] = yield* Effect.all([runCounted(by.of.projectId, job), by.expect?.(prepared) ?? Effect.void], {
    concurrency: "unbounded"
  })
  return yield* leftBy(command, result, unlocked(files, prepared))
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
