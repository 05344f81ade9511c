/** One build from its job to its result, whatever does the bundling. */
import type { BuilderUnavailable, BuildJob, BuildResult } from "@pawl/core/bundle/AppBuilder"
import { Effect } from "effect"
import { versionWarnings } from "../vendored/VendoredVersions.ts"
import { assemble } from "./BundleAssembly.ts"
import type { BundlerAnswer, BundlerOrder } from "./BundlerMessages.ts"
import { needsProcess, readJob } from "./BundlerOrders.ts"

/** What bundled ended without an answer; `reason` is for people. */
export interface Died {
  readonly _tag: "Died"
  readonly reason: string
}

/** It took longer than a build may; `reason` is for people. */
export interface Late {
  readonly _tag: "Late"
  readonly reason: string
}

/** What came of an order: an answer, or the death of what worked on it. */
export type Answered = Exclude<BundlerAnswer, { readonly _tag: "Died" }> | Died

/** What comes of an order within `timeoutMs` milliseconds. */
export const inTime = <E>(timeoutMs: number, asked: Effect.Effect<Answered, E>): Effect.Effect<Answered | Late, E> => {
  const late: Late = { _tag: "Late", reason: `The build took longer than ${timeoutMs} ms and was stopped.` }
  return Effect.timeoutOrElse(asked, { duration: timeoutMs, orElse: () => Effect.succeed(late) })
}

/** `layer` finds the packages of the job's lock file, null for none; `answered` does an order. */
export const runBuild = Effect.fnUntraced(function* (
  job: BuildJob,
  layer: Effect.Effect<string | null, BuilderUnavailable>,
  answered: (order: BundlerOrder) => Effect.Effect<Answered | Late, BuilderUnavailable>
): Effect.fn.Return<BuildResult, BuilderUnavailable> {
  const read = readJob(job, null)
  if ("problems" in read) return { _tag: "Refused", problems: read.problems }
  const { settings, split } = read
  const packages = yield* layer
  const noted = [...settings.warnings, ...split.warnings, ...(packages === null ? versionWarnings(split.source) : [])]
  if (!needsProcess(read.order))
    return yield* assemble({ job, settings, split, main: null, parts: [], packages: [], warnings: noted })
  const answer = yield* answered({ ...read.order, layer: packages })
  if (answer._tag === "Refused") return answer
  if (answer._tag === "Stale") return { _tag: "Crashed", reason: "The bundler has nothing of what was asked for." }
  if (answer._tag !== "Bundled") return { _tag: "Crashed", reason: answer.reason }
  const { main, modules, packages: held } = answer
  const said = [...noted, ...answer.warnings]
  return yield* assemble({ job, settings, split, main, parts: modules, packages: held, warnings: said })
})
