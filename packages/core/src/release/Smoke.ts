/** The smoke test of a release: its probes, at the app through the router past every cache, or at a release target. */
import { Effect } from "effect"
import { AppRuntimeUnavailable } from "../app/AppRuntime.ts"
import type { ChangeSet } from "../model/ChangeSet.ts"
import { wholeChangeSet } from "../changeset/Listing.ts"
import { demand } from "../ledger/Decision.ts"
import { ObjectStoreUnavailable } from "../objects/ObjectStore.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import { Repositories, type RepositoryRef } from "../project/Repositories.ts"
import { type Definitions, readDefinitions, readFiles } from "../project/Source.ts"
import { placeOf } from "../project/SourceSync.ts"
import { ProbeClient } from "./ProbeClient.ts"
import { judgeProbe, type Probe, probesOf, routesDeclared } from "./Probes.ts"
import type { ProbeResult, Release } from "../model/Release.ts"
import { RouteReader, tellsRoutes } from "./RouteReader.ts"
import { TargetProbeClient } from "./TargetProbeClient.ts"

/** Where probes are asked. */
export type Place = { readonly _tag: "App"; readonly label: string } | { readonly _tag: "Target"; readonly url: string }

/** Routes that the Change's ChangeSets declared; where none did, those that its tree has and its base's has not. */
const addedRoutes = Effect.fnUntraced(function* (release: Release, keeper: RepositoryRef) {
  const candidate = (yield* demand("candidate", release.candidateId)).record
  const changeSets: ReadonlyArray<ChangeSet> = yield* Effect.forEach(candidate.changeSets, (id) =>
    Effect.flatMap(demand("changeSet", id), ({ record }) => wholeChangeSet(record)).pipe(
      Effect.catchTag(
        "ObjectMissing",
        ({ key }) =>
          new ObjectStoreUnavailable({
            operation: "get",
            key,
            reason: "the list of a ChangeSet is gone",
            lasting: true
          })
      )
    )
  )
  const declared = routesDeclared(changeSets.flatMap((each) => each.intents))
  if (declared.length > 0) return declared.map((path) => ({ path }))
  return yield* routesFound(keeper, candidate.baseTree, release.tree).pipe(
    Effect.map((paths) => paths.map((path) => ({ path, found: true as const }))),
    // Routes are not looked for in what is too much to read.
    Effect.catchTag("TreeTooLarge", () => Effect.succeed([]))
  )
})

/** Reads both trees, unless no file differs that could tell of a route. */
const routesFound = Effect.fnUntraced(function* (keeper: RepositoryRef, before: string, after: string) {
  const repositories = yield* Repositories
  const telling = (tree: string) =>
    Effect.map(repositories.list(keeper, tree), (entries) =>
      entries
        .filter(({ path, type }) => type === "file" && tellsRoutes(path))
        .map(({ path, id }) => `${path} ${id}`)
        .join("\n")
    )
  if ((yield* telling(before)) === (yield* telling(after))) return []
  return yield* (yield* RouteReader).added(yield* readFiles(keeper, before), yield* readFiles(keeper, after))
})

/** Asks one probe once. */
const answerOf = (place: Place, path: string) =>
  Effect.gen(function* () {
    const timeoutMs = Limits.probeTimeoutMs
    return place._tag === "App"
      ? yield* (yield* ProbeClient).get({ label: place.label, channel: "production", path, timeoutMs })
      : yield* (yield* TargetProbeClient).get({ url: place.url, path, timeoutMs })
  })

/** Asks one probe once, and judges what came. No response is a gap. */
export const ask = (place: Place, probe: Probe) =>
  answerOf(place, probe.path).pipe(
    Effect.map((answer) => judgeProbe(probe, answer)),
    Effect.catchTag("ProbeUnanswered", (silence) => Effect.succeed(judgeProbe(probe, null, silence.reason)))
  )

/** The same. An outage of the stores judges nobody: that is `AppRuntimeUnavailable`, and whoever asked waits. */
const askInEarnest = (place: Place, probe: Probe) =>
  answerOf(place, probe.path).pipe(
    Effect.map((answer) => judgeProbe(probe, answer)),
    Effect.catchTag("ProbeUnanswered", ({ away, reason }) =>
      away === true
        ? Effect.fail(new AppRuntimeUnavailable({ reason, away }))
        : Effect.succeed(judgeProbe(probe, null, reason))
    )
  )

const ownProbes = (definitions: Definitions) =>
  definitions._tag === "Defined" ? definitions.file.probes : [{ path: "/", status: 200 }]

/**
 * Runs the probes of the promoted tree, and up to two static GET routes that the Change added. What is missing is a
 * failure: fewer probes would find a release good that is not. To find added routes takes longer than to ask: the tree's
 * own probes go first, and with them the app is running.
 */
export const smokeTest = Effect.fnUntraced(function* (release: Release, place: Place) {
  const keeper = placeOf((yield* demand("head", release.projectId)).record, release)
  const own = ownProbes(yield* readDefinitions(keeper, release.tree))
  const first = yield* askAll(place, probesOf(own, [], 0))
  const probes = probesOf(own, yield* addedRoutes(release, keeper), Limits.addedRouteProbes)
  return yield* askFailedAgain(place, probes, [...first, ...(yield* askAll(place, probes.slice(own.length)))])
}, Effect.withSpan("Smoke.test"))

/** Runs the probes that a canonical tree itself names: for a deploy that is no release of a Change. */
export const smokeTestTree = Effect.fnUntraced(function* (projectId: string, tree: string, label: string) {
  const place: Place = { _tag: "App", label }
  const probes = probesOf(ownProbes(yield* readDefinitions({ project: projectId }, tree)), [], 0)
  return yield* askFailedAgain(place, probes, yield* askAll(place, probes))
}, Effect.withSpan("Smoke.test"))

const atOnce = { concurrency: Limits.probesAtOnce }

const askAll = (place: Place, probes: ReadonlyArray<Probe>) =>
  Effect.forEach(probes, (probe) => ask(place, probe), atOnce)

/** Asks the probes that did not pass once more, after `smokeRetryMs`. What is then not to be reached fails the test of none. */
const askFailedAgain = Effect.fnUntraced(function* (
  place: Place,
  probes: ReadonlyArray<Probe>,
  first: ReadonlyArray<ProbeResult>
) {
  if (first.every((result) => result.result === "pass")) return first
  yield* Effect.sleep((yield* Settings).smokeRetryMs)
  return yield* Effect.forEach(
    probes,
    (probe, index) => {
      const before = first[index]!
      return before.result === "pass" ? Effect.succeed(before) : askInEarnest(place, probe)
    },
    atOnce
  )
})
