/** A generation is built again, from its sources and its lock, and compared with the bundle that it left. */
import { Effect } from "effect"
import { keptBundle } from "../app/KeptBundle.ts"
import type { Bundle } from "../bundle/Bundle.ts"
import { bundledAgain, formatProblem, usedUpReason } from "../bundle/Builds.ts"
import { demand, find } from "../ledger/Decision.ts"
import type { Rebuild } from "../model/Audit.ts"
import { generationKey } from "../model/Entities.ts"
import type { Generation } from "../model/Generation.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import * as Time from "../primitives/Time.ts"
import { placeOf } from "../project/SourceSync.ts"
import { readFiles } from "../project/Source.ts"
import { prepare } from "../verification/BuildPreparation.ts"

type Digests = Readonly<Record<string, { readonly sha256: string }>>

/** The first name, in order, whose file is not the same in both. */
const differing = (kept: Digests, again: Digests): string | null =>
  [...new Set([...Object.keys(kept), ...Object.keys(again)])]
    .sort()
    .find((name) => kept[name]?.sha256 !== again[name]?.sha256) ?? null

const stateOf = (kept: Digests, again: Digests, name: string): string =>
  kept[name] === undefined ? "is new" : again[name] === undefined ? "is missing" : "differs"

/** The first thing in which two bundles differ, in words: a module, an asset, else what else is said of the app. */
const firstDifference = (kept: Bundle, again: Bundle): string => {
  const module = differing(kept.modules, again.modules)
  if (module !== null) return `the module ${module} ${stateOf(kept.modules, again.modules, module)}`
  const [one, other] = [kept.assets.manifest, again.assets.manifest]
  const asset = differing(one, other)
  if (asset !== null) return `the asset ${asset} ${stateOf(one, other, asset)}`
  const fields = Object.entries({ ...kept, ...again })
  const name = fields.map(([key]) => key).find((key) => canonicalJson(at(kept, key)) !== canonicalJson(at(again, key)))
  return `all modules and assets are the same, and ${JSON.stringify(name ?? "bundle.json")} of bundle.json differs`
}

const at = (bundle: Bundle, key: string): unknown => Object.entries(bundle).find(([name]) => name === key)?.[1] ?? null

const builders = (kept: Bundle, again: Bundle): string => {
  const [one, other] = [kept, again].map(({ builder }) => `${builder.name} ${builder.version}`)
  return one === other ? "" : ` It was built with ${one}, and now with ${other}.`
}

type Seen = Pick<Rebuild, "outcome" | "detail">

const compare = Effect.fnUntraced(function* (projectId: string, step: Generation) {
  const kept = yield* keptBundle(step)
  if (kept === null)
    return { outcome: "not_built", detail: "no bundle of it is kept, so there is nothing to compare with" } as Seen
  const place = placeOf((yield* demand("head", projectId)).record, step)
  const { builtAt, sbom } = kept.bundle
  return yield* bundledAgain({
    project: projectId,
    files: readFiles(place, step.tree),
    prepare: (files, expect) =>
      prepare(files, {
        expect,
        id: `${projectId}-s${step.generation}-again`,
        of: { projectId, changeId: projectId },
        running: { count: 0 },
        builtAtMs: Time.toMillis(builtAt)
      }),
    commit: step.commit,
    tree: step.tree,
    builtAt,
    listed: sbom !== undefined
  }).pipe(
    Effect.map(({ bundle, digest }): Seen =>
      digest === kept.digest
        ? { outcome: "same", detail: `the build gave ${digest} again` }
        : {
            outcome: "different",
            detail: `the build gave ${digest}, served is ${kept.digest}: ${firstDifference(kept.bundle, bundle)}.${builders(kept.bundle, bundle)}`
          }
    ),
    Effect.catchTags({
      BuildRefused: ({ problems }) =>
        Effect.succeed<Seen>({
          outcome: "different",
          detail: `it was built once, and is refused now: ${problems.map(formatProblem).join("\n")}`
        }),
      BuildCrashed: (crash) => Effect.succeed<Seen>({ outcome: "not_built", detail: crash.message }),
      BuildCapReached: (cap) => Effect.succeed<Seen>({ outcome: "not_built", detail: usedUpReason(cap) })
    })
  )
})

/** Builds a generation again and compares. To be run inside a process. What is away makes it wait. */
export const rebuild = Effect.fnUntraced(function* (projectId: string, generation: number) {
  const step = (yield* find("generation", generationKey(projectId, generation)))?.record
  const seen: Seen =
    step === undefined
      ? { outcome: "not_built", detail: `there is no S${generation}` }
      : yield* compare(projectId, step).pipe(
          Effect.catchTags({
            ObjectNotFound: ({ id, what }) =>
              Effect.succeed<Seen>({ outcome: "not_built", detail: `the repository has no ${what} ${id}` }),
            TreeTooLarge: ({ actual, limit }) =>
              Effect.succeed<Seen>({ outcome: "not_built", detail: `its tree has ${actual} ${limit}` })
          })
        )
  return { generation, rebuiltAt: yield* Time.now, ...seen } satisfies Rebuild
}, Effect.withSpan("Rebuilds.rebuild"))
