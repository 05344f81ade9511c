/** The smoke test of a release: its probes through the router, past the pointer cache, with one retry. */
import { Effect } from "effect"
import { candidateFork } from "../primitives/Ids.ts"
import { Limits } from "../primitives/Limits.ts"
import { Settings } from "../primitives/Settings.ts"
import { readDefinitions } from "../project/Source.ts"
import { Repositories } from "../project/Repositories.ts"
import { demand } from "../ledger/Deciding.ts"
import { judgeProbe, type Probe, probesOf, routesAdded } from "./Probes.ts"
import { ProbeClient } from "./ProbeClient.ts"
import type { ProbeResult, Release } from "./Release.ts"

/** The probes of the promoted tree, and up to two static GET routes that the Change added. */
const probesFor = (release: Release) =>
  Effect.gen(function* () {
    const fork = { project: release.projectId, fork: candidateFork(release.candidateId) }
    const definitions = yield* readDefinitions(fork, release.tree)
    const candidate = (yield* demand("candidate", release.candidateId)).record
    const files = yield* Effect.flatMap(Repositories, (repositories) =>
      repositories.diff(fork, candidate.base_tree, release.tree)
    )
    const own = definitions._tag === "Defined" ? definitions.file.probes : [{ path: "/", status: 200 }]
    return probesOf(own, routesAdded(files, Limits.addedRouteProbes))
  })

const ask = (label: string, probe: Probe) =>
  Effect.flatMap(ProbeClient, (client) =>
    client.get({ label, channel: "production", path: probe.path, timeoutMs: Limits.probeTimeoutMs })
  ).pipe(
    Effect.map((answer) => judgeProbe(probe, answer)),
    Effect.catchTag("ProbeUnanswered", (silence) => Effect.succeed(judgeProbe(probe, null, silence.reason)))
  )

/** Runs the probes of a release. */
export const smokeTest = (release: Release, label: string) =>
  Effect.flatMap(probesFor(release), (probes) => runProbes(label, probes))

/** Runs the probes that a canonical tree itself names: for a deploy that is no release of a Change. */
export const smokeTestTree = (projectId: string, tree: string, label: string) =>
  Effect.flatMap(readDefinitions({ project: projectId }, tree), (definitions) =>
    runProbes(
      label,
      probesOf(definitions._tag === "Defined" ? definitions.file.probes : [{ path: "/", status: 200 }], [])
    )
  )

/** Asks each probe; those that did not pass are asked once more after `smokeRetryMs`. */
const runProbes = (label: string, probes: ReadonlyArray<Probe>) =>
  Effect.gen(function* () {
    const first = yield* Effect.forEach(probes, (probe) => ask(label, probe))
    if (first.every((result) => result.result === "pass")) return first
    yield* Effect.sleep((yield* Settings).smokeRetryMs)
    return yield* Effect.forEach(probes, (probe, index): Effect.Effect<ProbeResult, never, ProbeClient> => {
      const before = first[index]!
      return before.result === "pass" ? Effect.succeed(before) : ask(label, probe)
    })
  }).pipe(Effect.withSpan("Smoke.test"))
