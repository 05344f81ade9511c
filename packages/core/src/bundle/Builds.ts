/** One build per commit. What the `build` check stored is what preview and release serve. */
import { Effect, Schema } from "effect"
import { step } from "../work/Processes.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { GapCode } from "../model/Evidence.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import * as Time from "../primitives/Time.ts"
import { sbomOf } from "../packages/Sbom.ts"
import { Meters } from "../telemetry/Meters.ts"
import { AppBuilder, BuilderUnavailable, type BuildJob, BuildProblem, type BuildResult } from "./AppBuilder.ts"
import { type BundleKind, bundleKey, bundlePrefix } from "./Bundle.ts"
import * as BundleStore from "./BundleStore.ts"
import { DailyCounter } from "./DailyCounter.ts"
import * as Shares from "./Shares.ts"
import { clearStrays } from "./Strays.ts"

/** All builds of the day are used, or what is left is kept for other organizations. Stored bundles can still be released. */
export class BuildCapReached extends Schema.TaggedError<BuildCapReached>()("BuildCapReached", {
  /** How many there are in a day. */
  perDay: Schema.Finite,
  /** Whether some are left, for other organizations. */
  keptForOthers: Schema.Boolean
}) {
  override get message() {
    return `A${usedUpReason(this).slice(1)}. Tomorrow (UTC) there are more; a bundle that exists is used without a build.`
  }
}

/** Why nothing is built on a day whose builds are all used. */
export const usedUpReason = ({ keptForOthers, perDay }: BuildCapReached): string =>
  `all ${perDay} builds of today are used${keptForOthers ? ", or kept for other organizations" : ""}`

/** Why a bundle that is not the verified one is not served. */
export const notVerifiedReason = (found: string, verified: string): string =>
  `the build gave ${found}, verified was ${verified}`

/** The source cannot be built; each problem says what, where and why. */
export class BuildRefused extends Schema.TaggedError<BuildRefused>()("BuildRefused", {
  problems: Schema.Array(BuildProblem)
}) {
  override get message() {
    return this.problems.map(formatProblem).join("\n")
  }
}

/** The builds of today, of all Projects. */
export const buildBudget = Effect.flatMap(Settings, ({ buildsPerDay }) =>
  Shares.budgetOfDay("app-builds", buildsPerDay)
)

/** Why a Project has no build left today; null while it has. */
export const buildCap = Effect.fnUntraced(function* (projectId: string) {
  const budget = yield* buildBudget
  const left = yield* Shares.shareLeft(budget, yield* Shares.payerOf(projectId))
  return left === "some" ? null : new BuildCapReached({ perDay: budget.max, keptForOthers: left === "kept" })
})

/** A build of this kind was counted, against this day. */
export const takenStep = JournalStep.each("taken", Schema.String)

/** Counts a build before it begins, for its organization and in all. Answers the day. */
const takeBuild = Effect.fnUntraced(function* (projectId: string) {
  const cap = yield* buildCap(projectId)
  if (cap !== null) return yield* cap
  const { day, max, name } = yield* buildBudget
  const counter = yield* DailyCounter
  if (!(yield* counter.take(name, day, max, yield* Shares.countersBeside(name, projectId))))
    return yield* new BuildCapReached({ perDay: max, keptForOthers: false })
  return day
})

/** The bundler, or the build command before it, died, hung or ran out of memory: nothing is known about the work. */
export class BuildCrashed extends Schema.TaggedError<BuildCrashed>()("BuildCrashed", {
  reason: Schema.String,
  /** Of a build command: why it did not come to an end. */
  gap: Schema.optional(GapCode),
  /** Another try shows no more. */
  lasting: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    return `the ${this.gap === undefined ? "bundler" : "build command"} did not finish: ${this.reason}`
  }
}

/** A problem as one line: `src/index.ts:3:7: message`. */
export const formatProblem = (problem: BuildProblem): string => {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== null).join(":")
  return place === "" ? problem.message : `${place}: ${problem.message}`
}

/**
 * Builds some files and waits for the end. Nothing is counted and nothing is kept: to see whether they build. Fails with
 * `BuilderUnavailable`.
 */
export const tried = Effect.fnUntraced(function* (job: BuildJob) {
  const builder = yield* AppBuilder
  return yield* Effect.acquireUseRelease(
    builder.start(job),
    (handle) =>
      builder.poll(handle, Limits.jobPollMs).pipe(
        Effect.repeat({ until: (state) => state._tag === "Finished" }),
        Effect.flatMap((state) =>
          state._tag === "Finished"
            ? Effect.succeed(state.result)
            : Effect.fail(new BuilderUnavailable({ reason: "the build was lost" }))
        ),
        Effect.timeoutOrElse({
          duration: Limits.buildAnswerMs,
          orElse: () => Effect.fail(new BuilderUnavailable({ reason: "the builder does not answer" }))
        })
      ),
    (handle) => builder.cancel(handle)
  )
})

/** What a build stands on beside the files of its tree. */
export type Prepared = Pick<BuildJob, "packages" | "generated">

type Built = Extract<BuildResult, { readonly _tag: "Built" }>

/** The list of what a build saw and put into its bundle. */
const listOf = ({ files, generated, packages: layer }: BuildJob, { bundle, packages }: Built) =>
  sbomOf({
    ...bundle,
    layer: layer?.packages ?? [],
    ...(layer?.graph === undefined ? {} : { graph: layer.graph }),
    held: packages ?? [],
    // Of what a build command left nobody knows which packages are in it.
    mayHoldOthers: generated !== undefined || packages === undefined,
    manifest: (folder) => files.get(`${folder}/package.json`)?.content ?? null
  })

/** A source to be built, and what must be there before. */
interface Source<E, R, E2, R2> {
  readonly project: string
  /** The files of the tree; read only when it is built. */
  readonly files: Effect.Effect<BuildJob["files"], E, R>
  /**
   * What must be there before they are bundled: packages, and what the build command makes. `expect` is told when that
   * command begins.
   */
  readonly prepare: (
    files: BuildJob["files"],
    expect: (prepared: Prepared) => Effect.Effect<void>
  ) => Effect.Effect<Prepared, E2, R2>
  readonly commit: string
  readonly tree: string
  readonly builtAt: Time.Timestamp
}

/** Builds a source, counted against the day's cap: once, however often a process tries again because the bundler died. */
const make = Effect.fnUntraced(function* <E, R, E2, R2>(label: string, source: Source<E, R, E2, R2>) {
  yield* step(takenStep(label), takeBuild(source.project))
  const files = yield* source.files
  const builder = yield* AppBuilder
  const id = `${label}:${source.project}@${source.commit}`
  const { commit, project, tree } = source
  const builtAtMs = Time.toMillis(source.builtAt)
  const jobOf = (prepared: Prepared): BuildJob => ({ id, project, commit, tree, builtAtMs, files, ...prepared })
  const { job, result } = yield* source
    .prepare(files, (prepared) => builder.expect(jobOf(prepared)))
    .pipe(
      Effect.map(jobOf),
      Effect.flatMap((job) => Effect.map(tried(job), (result) => ({ job, result }))),
      // What was begun early is given up with what it was for.
      Effect.ensuring(builder.cancel({ id }))
    )
  switch (result._tag) {
    case "Built":
      return { ...result, sbom: listOf(job, result) }
    case "Refused":
      return yield* new BuildRefused({ problems: result.problems })
    case "Crashed":
      return yield* new BuildCrashed({ reason: result.reason })
  }
})

/**
 * The bundle of a commit under `kind`: the stored one when there is one, else a build, counted against the day's cap.
 * `builtAt` is derived from the domain, so that building again gives the same bytes. Fails with `BuildCapReached`,
 * `BuildRefused`, `BuildCrashed`, `BuilderUnavailable` or what `prepare` fails with. To be run inside a process, whose
 * journal keeps the count.
 */
export const bundleOf = <E, R, E2, R2>(
  options: Source<E, R, E2, R2> & {
    readonly kind: BundleKind
    /** A stored bundle with another digest is built again. */
    readonly expectedDigest?: string
  }
) =>
  Effect.gen(function* () {
    const prefix = bundlePrefix(options.kind, options.project, options.commit)
    // A damaged bundle is built again: the build must give the digest that evidence holds, or it is refused later.
    const storedBundle = yield* BundleStore.find(bundleKey(prefix), options.expectedDigest).pipe(
      Effect.catchTag("BundleDamaged", () => Effect.succeed(null))
    )
    if (storedBundle !== null) return { ...storedBundle, source: "stored" as const }
    const built = yield* BundleStore.store(prefix, yield* make(options.kind, options))
    yield* clearStrays(options.project)
    return { ...built, source: "build" as const }
  }).pipe(counted, Effect.withSpan("Builds.bundleOf", { attributes: { project: options.project } }))

/**
 * Builds a commit again, whether its bundle is stored or not, and keeps nothing: the bundle and its digest as they would
 * be stored. `listed`: with the list of its packages, which bundles of earlier versions have not. Counts and fails as
 * `bundleOf` does.
 */
export const bundledAgain = <E, R, E2, R2>(source: Source<E, R, E2, R2> & { readonly listed: boolean }) =>
  Effect.gen(function* () {
    const { bundle, sbom } = yield* make("again", source)
    return yield* BundleStore.digested(source.listed ? { bundle, sbom: yield* sbom } : { bundle })
  }).pipe(Effect.withSpan("Builds.bundledAgain", { attributes: { project: source.project } }))

const counts: Readonly<Record<string, string>> = {
  BuildRefused: "refused",
  BuildCrashed: "crashed",
  BuildCapReached: "cap"
}

/** Counts what became of a bundle that was asked for. */
const counted = <A extends { readonly source: "stored" | "build" }, E, R>(asked: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Meters, ({ builds }) =>
    asked.pipe(
      Effect.tap(({ source }) => Effect.sync(() => builds.add(source === "stored" ? "reused" : "built"))),
      Effect.tapError((error) => Effect.sync(() => builds.add(counts[tagOf(error)] ?? "unavailable")))
    )
  )

const tagOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : ""
