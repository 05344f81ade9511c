/** The checks of files that are no Candidate yet: which there are, and what each of them shows. */
import { Effect } from "effect"
import { AppBuilder, type BuildJob } from "../bundle/AppBuilder.ts"
import { formatProblem, type Prepared, tried } from "../bundle/Builds.ts"
import { demand } from "../ledger/Decision.ts"
import type { Check } from "../model/Plan.ts"
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import * as Time from "../primitives/Time.ts"
import { fitsGlob } from "../project/Globs.ts"
import { packageFile, scriptsOf } from "../project/PackageScripts.ts"
import { definitionsOf } from "../project/Source.ts"
import { declared, inBaseForm } from "../verification/BaseForms.ts"
import { type Finding, gap, shortened } from "../verification/CheckFinding.ts"
import { commandFinding } from "../verification/CommandRun.ts"
import { prepare } from "../verification/BuildPreparation.ts"
import { lookAtFiles } from "../verification/PackageLook.ts"
import { concernInWords, refusedPackages } from "../verification/PackageRules.ts"
import { planOf } from "../verification/PlanRules.ts"
import type { SandboxJob } from "../verification/Sandbox.ts"
import { editsOf, type Overlay } from "../agent/Overlay.ts"
import type { AgentJob } from "../task/Agent.ts"
import type { Workplace } from "./Workplace.ts"
import { textOf } from "../primitives/Utf8.ts"

type Files = SandboxJob["files"]

/** The files as an agent has made them. Who was executable stays so. */
export const filesOf = (source: Files, overlay: Overlay): Files => {
  const files = new Map(source)
  for (const [path, text] of Object.entries(editsOf(overlay))) {
    if (typeof text !== "string") files.delete(path)
    else files.set(path, { content: utf8(text), executable: source.get(path)?.executable === true })
  }
  return files
}

const textAt = (files: Files, path: string): string | null => {
  const file = files.get(path)
  return file === undefined ? null : textOf(file.content)
}

const definitions = (files: Files) => definitionsOf(textAt(files, "pawl.json"), textAt(files, packageFile))
const scripts = (files: Files) => scriptsOf(textAt(files, packageFile) ?? "{}")

/** The checks that judge some files, or why there are none: `pawl.json` cannot be read, or the Policy refuses a package. */
export type Judges =
  | { readonly _tag: "Checks"; readonly checks: ReadonlyArray<Check> }
  | { readonly _tag: "Broken"; readonly reason: string }

const broken = (what: string, reason: string): Judges => ({
  _tag: "Broken",
  reason: `${what}, so that no Candidate could be checked: ${reason}`
})

/** What checks of a run need of its place. */
export type CheckedPlace = Pick<Workplace, "hasApp" | "running" | "source"> & {
  readonly job: Pick<AgentJob, "run" | "source" | "task">
}

/** Those that a Candidate of these files would have, with the source that the run began with as its base. */
export const checksHere = (place: CheckedPlace, overlay: Overlay) =>
  checksOf(place, filesOf(place.source, overlay), Object.keys(editsOf(overlay)))

/** The same of files that are there, of which those at some paths are others than in the source. */
export const checksOf = Effect.fnUntraced(function* (
  { hasApp, job, source }: CheckedPlace,
  files: Files,
  paths: ReadonlyArray<string>
) {
  const [base, own] = [definitions(source), definitions(files)]
  if (own._tag === "Broken") return broken("pawl.json cannot be read", own.reason)
  const policy = (yield* demand("policy", job.task.projectId)).record
  const packages = yield* lookAtFiles({ base: source, own: files }, paths, policy.packages)
  const refused = refusedPackages(packages)
  if (refused.length > 0) {
    const reasons = refused.map((each) => concernInWords(each, { policyVersion: policy.version }))
    return broken("the Policy refuses packages", reasons.join("\n"))
  }
  const plan = planOf({
    base: base._tag === "Defined" ? base.file.checks : [],
    candidate: own.file.checks,
    paths,
    altered: paths.filter((path) => source.has(path)),
    scripted: new Set(paths),
    assets: null,
    scripts: { base: scripts(source), candidate: scripts(files) },
    packages,
    taskKinds: [job.task.kind],
    hasApp,
    policy,
    now: yield* Time.now
  })
  return { _tag: "Checks", checks: plan.checks.filter(({ waived }) => waived === undefined) } satisfies Judges
})

/** A check as an agent is told of it. */
export const checkLine = ({ command, id, kind, required, title }: Check): string =>
  `${id}${required ? "" : " (advice)"}: ${kind === "build" ? title : (command ?? title)}`

/** With the source's form of its files where the check is asked with that, and nothing but its inputs where it declares them. */
const filesFor = (check: Check, source: Files, files: Files): Files => {
  const { base } = check
  if (base === undefined) return declared(check, files)
  const over = [...source].filter(([path]) => base.globs.some((glob) => fitsGlob(glob, path)))
  return declared(check, inBaseForm(files, base, new Map(over)))
}

const unbuilt = { isolation: "builder", version: "", guarantees: [] }

/** A build that nothing is kept of, and that takes none of the day's: calls of models, or a run's own limit, bound how many there are. */
const buildFinding = Effect.fnUntraced(function* ({ job, running }: CheckedPlace, id: string, files: Files) {
  const { commit, tree } = job.source
  const builtAtMs = Time.toMillis(job.run.startedAt)
  const builder = yield* AppBuilder
  const source = { id, project: job.task.projectId, commit, tree, builtAtMs, files }
  const jobOf = (prepared: Prepared): BuildJob => ({ ...source, ...prepared })
  return yield* prepare(files, {
    id: `${id}-build`,
    of: job.task,
    running,
    builtAtMs,
    expect: (prepared) => builder.expect(jobOf(prepared))
  }).pipe(
    Effect.flatMap((prepared) => tried(jobOf(prepared))),
    // What was begun early is given up with what it was for.
    Effect.ensuring(builder.cancel({ id })),
    Effect.catchTag("BuildRefused", ({ problems }) => Effect.succeed({ _tag: "Refused" as const, problems })),
    Effect.map((result): Finding => {
      if (result._tag === "Crashed") return gap("bundler_crashed", result.reason, unbuilt)
      const problems = result._tag === "Refused" ? result.problems : result.warnings
      const text = problems.map(formatProblem).join("\n")
      const passes = result._tag === "Built"
      return {
        status: passes ? "checked_supported" : "checked_unsupported",
        result: passes ? "pass" : "fail",
        summary: shortened(text),
        output: utf8(text),
        runner: unbuilt,
        worthAnotherTry: false
      }
    }),
    Effect.catchTags({
      BuildCrashed: (crash) => Effect.succeed(gap(crash.gap ?? "bundler_crashed", crash.message, unbuilt)),
      BuilderUnavailable: (away) => Effect.succeed(gap("builder_away", away.message, unbuilt)),
      PackagesUnavailable: (away) => Effect.succeed(gap("registry_away", away.message, unbuilt)),
      SandboxUnavailable: (away) => Effect.succeed(gap("sandbox_away", away.message, unbuilt))
    })
  )
})

/** What one check shows of some files. `id` names the run. */
const findingOf = Effect.fnUntraced(function* (place: CheckedPlace, check: Check, id: string, files: Files) {
  if (check.kind === "build") return yield* buildFinding(place, id, files)
  const { job, running, source } = place
  return yield* commandFinding({
    check,
    of: job.task,
    running,
    id,
    files: Effect.sync(() => filesFor(check, source, files))
  })
})

/** A check, and what it shows. */
export interface Shown {
  readonly check: Check
  readonly finding: Finding
}

/** Runs checks on some files. */
export const shownBy = (place: CheckedPlace, checks: ReadonlyArray<Check>, name: string, files: Files) =>
  Effect.forEach(
    checks,
    (check) =>
      Effect.map(findingOf(place, check, `${name}-${check.id}`, files), (finding): Shown => ({ check, finding })),
    { concurrency: Limits.agentChecksAtOnce }
  )
