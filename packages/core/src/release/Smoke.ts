/** The smoke test of a release: its probes, at the app through the router past every cache, or at a release target. */
import { Effect } from "effect"
import type { ChangeSet, Intent } from "../changeset/ChangeSet.ts"
import { demand } from "../ledger/Deciding.ts"
import { candidateFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import { Repositories } from "../project/Repositories.ts"
import { readDefinitions } from "../project/Source.ts"
import { ProbeClient } from "./ProbeClient.ts"
import { judgeProbe, type Probe, probesOf, routesAdded, routesDeclared } from "./Probes.ts"
import type { ProbeResult, Release } from "./Release.ts"
import { TargetProbeClient } from "./TargetProbeClient.ts"

/** Where probes are asked. */
export type Place = { readonly _tag: "App"; readonly label: string } | { readonly _tag: "Target"; readonly url: string }

/** The probes of the promoted tree, and up to two static GET routes that the Change added. */
const probesFor = (release: Release) =>
  Effect.gen(function* () {
    const fork = { project: release.projectId, fork: candidateFork(release.candidateId) }
    const definitions = yield* readDefinitions(fork, release.tree)
    const own = definitions._tag === "Defined" ? definitions.file.probes : [{ path: "/", status: 200 }]
    return probesOf(own, yield* addedRoutes(release))
  })

/** Routes that the Change's ChangeSets declared; where none did, those that the added lines name. */
const addedRoutes = (release: Release) =>
  Effect.gen(function* () {
    const candidate = (yield* demand("candidate", release.candidateId)).record
    const changeSets = yield* Effect.forEach(candidate.changeSets, (id) => demand("changeSet", id))
    const intents = changeSets.flatMap(
      ({ record }: { readonly record: ChangeSet }): ReadonlyArray<Intent> => record.intents
    )
    const declared = routesDeclared(intents, Limits.addedRouteProbes)
    if (declared.length > 0) return declared
    const fork = { project: release.projectId, fork: candidateFork(release.candidateId) }
    const files = yield* (yield* Repositories).diff(fork, candidate.base_tree, release.tree)
    return routesAdded(files, Limits.addedRouteProbes)
  })

/** Asks one probe once. */
export const ask = (place: Place, probe: Probe) =>
  Effect.gen(function* () {
    const { path } = probe
    const timeoutMs = Limits.probeTimeoutMs
    return place._tag === "App"
      ? yield* (yield* ProbeClient).get({ label: place.label, channel: "production", path, timeoutMs })
      : yield* (yield* TargetProbeClient).get({ url: place.url, path, timeoutMs })
  }).pipe(
    Effect.map((answer) => judgeProbe(probe, answer)),
    Effect.catchTag("ProbeUnanswered", (silence) => Effect.succeed(judgeProbe(probe, null, silence.reason)))
  )

/** Runs the probes of a release. */
export const smokeTest = (release: Release, place: Place) =>
  Effect.flatMap(probesFor(release), (probes) => runProbes(place, probes))

/** Runs the probes that a canonical tree itself names: for a deploy that is no release of a Change. */
export const smokeTestTree = (projectId: string, tree: string, label: string) =>
  Effect.flatMap(readDefinitions({ project: projectId }, tree), (definitions) =>
    runProbes(
      { _tag: "App", label },
      probesOf(definitions._tag === "Defined" ? definitions.file.probes : [{ path: "/", status: 200 }], [])
    )
  )

/** Asks each probe; those that did not pass are asked once more after `smokeRetryMs`. */
const runProbes = (place: Place, probes: ReadonlyArray<Probe>) =>
  Effect.gen(function* () {
    const first = yield* Effect.forEach(probes, (probe) => ask(place, probe))
    if (first.every((result) => result.result === "pass")) return first
    yield* Effect.sleep((yield* Settings).smokeRetryMs)
    return yield* Effect.forEach(probes, (probe, index): Effect.Effect<ProbeResult, never, ProbeClient> => {
      const before = first[index]!
      return before.result === "pass" ? Effect.succeed(before) : ask(place, probe)
    })
  }).pipe(Effect.withSpan("Smoke.test"))
