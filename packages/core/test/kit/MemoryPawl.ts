/** The whole core over memory layers, for tests: a scripted sandbox, and probes that answer what a test says. */
import { Effect, Layer } from "effect"
import { Sandbox, type SandboxJob, type SandboxOutcome } from "@pawl/core/verification/Sandbox"
import * as MemoryAppBuilder from "@pawl/adapters-memory/MemoryAppBuilder"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import * as MemoryPackageStore from "@pawl/adapters-memory/MemoryPackageStore"
import * as MemoryRepositories from "@pawl/adapters-memory/MemoryRepositories"
import { handlers } from "@pawl/core/worker/Handlers"
import { commandKinds } from "@pawl/core/model/Command"
import { Commands } from "@pawl/core/work/Commands"
import * as MemorySignedHeads from "@pawl/adapters-memory/MemorySignedHeads"
import * as MemorySigner from "@pawl/adapters-memory/MemorySigner"
import * as MemoryWebhookSender from "@pawl/adapters-memory/MemoryWebhookSender"
import { execute } from "@pawl/core/work/Processes"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings } from "@pawl/core/primitives/Settings"
import * as MemoryRouteReader from "@pawl/adapters-memory/MemoryRouteReader"
import * as MemorySymbols from "@pawl/adapters-memory/MemorySymbols"
import { type ProbeAnswer, ProbeClient, ProbeUnanswered } from "@pawl/core/release/ProbeClient"
import { user } from "@pawl/core/model/Actor"

export const person = user("usr_00000000-0000-4000-8000-000000000001")
export const organizationId = "org_00000000-0000-4000-8000-000000000001" as const

const textIn = (job: SandboxJob, path: string): string =>
  new TextDecoder().decode(job.files.get(path)?.content ?? new Uint8Array())

const outcomeOf = (job: SandboxJob): SandboxOutcome => ({
  _tag: "Exited",
  code: textIn(job, "result.txt").trim() === "broken" ? 1 : 0
})

const sandbox = Layer.succeed(Sandbox, {
  isolation: Effect.succeed({ name: "memory", version: "1", guarantees: [] }),
  start: (job) => Effect.sync(() => (jobs.set(job.id, job), { id: job.id })),
  poll: (handle) =>
    Effect.sync(() => ({
      _tag: "Finished" as const,
      result: {
        outcome: outcomeOf(jobs.get(handle.id)!),
        output: new TextEncoder().encode(textIn(jobs.get(handle.id)!, "said.txt") || "ran"),
        outputTruncated: false,
        isolation: { name: "memory", version: "1", guarantees: [] },
        startedAtMs: 0,
        finishedAtMs: 1
      }
    })),
  cancel: () => Effect.void
})
const jobs = new Map<string, SandboxJob>()

/** What receivers of webhooks answer, by URL; a missing one cannot be reached. And what they were sent. */
export const receivers = new Map<string, number>()
export const received: Array<MemoryWebhookSender.Received> = []

/** What the live app answers, by path; a missing path does not answer at all. */
export const answers = new Map<string, ProbeAnswer>()
const probes = Layer.succeed(ProbeClient, {
  get: ({ path }) => {
    const answer = answers.get(path)
    return answer === undefined
      ? Effect.fail(new ProbeUnanswered({ path, reason: "no response" }))
      : Effect.succeed(answer)
  }
})

export const layer = Layer.mergeAll(
  MemoryLedger.layerMemory,
  MemoryObjectStore.layerMemory,
  MemoryRepositories.layerMemory,
  MemoryAppBuilder.layerMemory,
  MemoryRouteReader.layerMemory,
  MemorySymbols.layerMemory,
  MemoryPackageStore.layerMemory(),
  MemoryWebhookSender.layerMemory(receivers, received),
  MemorySignedHeads.layerMemory,
  MemorySigner.layerMemory,
  sandbox,
  probes
)

/** Runs every command that is due, until none is left. */
export const settle = Effect.gen(function* () {
  const commands = yield* Commands
  const kinds = commandKinds.filter((kind) => handlers[kind] !== undefined)
  for (;;) {
    const claimed = yield* commands.claim({ worker: "test", kinds, limit: 10, leaseMs: Limits.commandLeaseMs })
    if (claimed.length === 0) return
    yield* Effect.forEach(claimed, (leased) => execute(leased, handlers), { discard: true })
  }
})

export const page = (status: number): ProbeAnswer => ({
  status,
  contentType: "text/html",
  body: new TextEncoder().encode("<p>hello")
})

/** All that the core needs. */
export type World = Layer.Layer<Layer.Success<typeof layer>, unknown>

export const run = <A, E>(program: Effect.Effect<A, E, Layer.Success<typeof layer>>, over: World = layer) =>
  Effect.runPromise(
    program.pipe(Effect.provide(over), Effect.provideService(Settings, { ...defaults, smokeRetryMs: 0 }))
  )
const defaults = {
  environment: "production" as const,
  appsDomain: "apps.localhost",
  paused: false,
  fixturesEnabled: false,
  buildsPerDay: 60,
  sandboxMsPerMonth: 18_000_000,
  smokeRetryMs: 0,
  appUrl: (host: string) => `http://${host}/`
}
