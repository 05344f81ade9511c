/** The real HTTP stack over the stores in memory, called as a web handler. */
import { Effect, Exit, Layer, Logger, Redacted, Scope } from "effect"
import { HttpEffect, type HttpServerRequest } from "effect/http"
import * as Organizations from "@pawl/core/access/Organizations"
import * as MemoryAppBuilder from "@pawl/adapters-memory/MemoryAppBuilder"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { Commands } from "@pawl/core/work/Commands"
import { handlers } from "@pawl/core/worker/Handlers"
import * as MemoryWebhookSender from "@pawl/adapters-memory/MemoryWebhookSender"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { execute } from "@pawl/core/work/Processes"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { Settings, type SettingsShape } from "@pawl/core/primitives/Settings"
import * as MemoryPackageStore from "@pawl/adapters-memory/MemoryPackageStore"
import * as MemoryRepositories from "@pawl/adapters-memory/MemoryRepositories"
import * as MemorySignedHeads from "@pawl/adapters-memory/MemorySignedHeads"
import * as MemorySigner from "@pawl/adapters-memory/MemorySigner"
import * as MemoryTemplates from "@pawl/adapters-memory/MemoryTemplates"
import * as MemoryRouteReader from "@pawl/adapters-memory/MemoryRouteReader"
import { ProbeClient } from "@pawl/core/release/ProbeClient"
import { makeHttpApp, WebCryptoSecrets } from "@pawl/server/http/index"

/** Checks pass unless the tree's `result.txt` says `broken`. */
const sandbox = Layer.sync(Sandbox, () => {
  const jobs = new Map<string, Parameters<Sandbox["Service"]["start"]>[0]>()
  const isolation = { name: "memory", version: "1", guarantees: [] }
  return {
    isolation: Effect.succeed(isolation),
    start: (job) => Effect.sync(() => (jobs.set(job.id, job), { id: job.id })),
    poll: (handle) =>
      Effect.sync(() => {
        const result = new TextDecoder().decode(jobs.get(handle.id)?.files.get("result.txt")?.content)
        return {
          _tag: "Finished" as const,
          result: {
            outcome: { _tag: "Exited" as const, code: result.trim() === "broken" ? 1 : 0 },
            output: new TextEncoder().encode("all tests ran"),
            outputTruncated: false,
            isolation,
            startedAtMs: 0,
            finishedAtMs: 1
          }
        }
      }),
    cancel: () => Effect.void
  }
})

/** As the router: the service's own prefix never reaches an app. */
const probes = Layer.succeed(ProbeClient, {
  get: ({ path }) =>
    Effect.succeed({
      status: path.startsWith("/__service/") ? 404 : 200,
      contentType: "text/html",
      body: new TextEncoder().encode("<p>hello")
    })
})

export const source = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "node --test" }], probes: [{ path: "/" }] }),
  "src/index.js": "export default { fetch: () => new Response('one') }",
  "result.txt": "fine"
}

const services = Layer.mergeAll(
  MemoryLedger.layerMemory,
  MemoryObjectStore.layerMemory,
  MemoryRepositories.layerMemory,
  MemoryAppBuilder.layerMemory,
  MemoryPackageStore.layerMemory(),
  MemoryRouteReader.layerMemory,
  MemoryTemplates.layerMemory({ shop: source, blank: source, react: source }),
  WebCryptoSecrets.layer,
  MemoryWebhookSender.layerMemory(new Map()),
  MemorySignedHeads.layerMemory,
  MemorySigner.layerMemory,
  sandbox,
  probes
)

export type Services = Layer.Success<typeof services>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; null when it is none. */
  // eslint-disable-next-line typescript/no-explicit-any -- answers of any endpoint, read by tests
  readonly body: any
}

export interface Ask {
  /** Default: the owner's. Null sends no credentials. */
  readonly token?: string | null
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Options {
  readonly requestsPerMinute?: number
  readonly settings?: Partial<SettingsShape>
  /** What plans Changes and works Tasks; without it Changes wait for people. */
  readonly agents?: Layer.Layer<never>
}

const defaults: SettingsShape = {
  environment: "production",
  appsDomain: "apps.localhost",
  paused: false,
  fixturesEnabled: false,
  buildsPerDay: Limits.buildsPerDay,
  sandboxMsPerMonth: Limits.sandboxMsPerMonth,
  smokeRetryMs: 0,
  appUrl: (host) => `http://${host}/`
}

/** Runs every command that is due, until none is left. */
const settleAll = Effect.gen(function* () {
  const commands = yield* Commands
  const kinds = Object.keys(handlers) as Array<keyof typeof handlers>
  for (;;) {
    const claimed = yield* commands.claim({ worker: "test", kinds, limit: 10, leaseMs: Limits.commandLeaseMs })
    if (claimed.length === 0) return
    yield* Effect.forEach(claimed, (leased) => execute(leased, handlers), { discard: true })
  }
})

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const answerOf = async (response: Response): Promise<Answer> => {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: jsonOf(text) }
}

export const ownerToken = "pawl_test-owner-token"

/** Starts an installation of its own. */
export const startApi = async (options: Options = {}) => {
  const scope = await Effect.runPromise(Scope.make())
  const settings = Layer.succeed(Settings, { ...defaults, ...options.settings })
  const quiet = Logger.layer([])
  const context = await Effect.runPromise(
    Layer.buildWithScope(Layer.mergeAll(services, settings, quiet, options.agents ?? Layer.empty), scope)
  )
  const run = <A, E>(program: Effect.Effect<A, E, Services | Scope.Scope>): Promise<A> =>
    Effect.runPromiseWith(context)(Effect.provideService(program, Scope.Scope, scope))
  const app = await run(
    makeHttpApp({
      requestsPerMinute: options.requestsPerMinute ?? 1_000_000,
      version: "0.0.0-test",
      origin: "http://pawl.test",
      environment: "production"
    })
  )
  await run(Organizations.bootstrap({ organization: "Home", owner: "Owner", token: Redacted.make(ownerToken) }))
  const handler = HttpEffect.toWebHandlerWith<Services, HttpServerRequest.HttpServerRequest | Scope.Scope>(context)(app)

  const send = (method: string, path: string, ask: Ask = {}): Promise<Response> => {
    const token = ask.token === undefined ? ownerToken : ask.token
    const body = ask.body === undefined ? null : typeof ask.body === "string" ? ask.body : JSON.stringify(ask.body)
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === null ? {} : { "content-type": "application/json" }),
      ...ask.headers
    }
    return handler(new Request(`http://pawl.test${path}`, { method, headers, ...(body === null ? {} : { body }) }))
  }
  const call = async (method: string, path: string, ask: Ask = {}): Promise<Answer> =>
    answerOf(await send(method, path, ask))
  return {
    app,
    handler,
    send,
    call,
    run,
    settle: () => run(settleAll),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

export type Api = Awaited<ReturnType<typeof startApi>>

/** A Project with a source, its provisioning done. */
export const newProject = async (api: Api, slug: string, files: Readonly<Record<string, unknown>> = source) => {
  const { body } = await api.call("POST", "/v1/projects", { body: { slug, files } })
  await api.settle()
  return body.project as { readonly id: string; readonly label: string }
}

/** A Change with one edit and its Candidate, verified. */
export const newCandidate = async (
  api: Api,
  projectId: string,
  clientRequestId: string,
  files: Readonly<Record<string, unknown>>
) => {
  const opened = await api.call("POST", `/v1/projects/${projectId}/changes`, {
    body: { clientRequestId, goal: "a goal", budget_usd: 1 }
  })
  const changeId = opened.body.change.id as string
  const edited = await api.call("POST", `/v1/changes/${changeId}/changesets`, { body: { message: "edit", files } })
  const asked = await api.call("POST", `/v1/changes/${changeId}/candidates`)
  await api.settle()
  return { changeId, changeSetId: edited.body.changeset.id as string, candidateId: asked.body.candidate.id as string }
}

/** A user of the first organization, or of none, with a token. */
export const newUser = async (api: Api, name: string, organizationId?: string) => {
  const { body } = await api.call("POST", "/v1/users", {
    body: { name, ...(organizationId === undefined ? {} : { organizationId }) }
  })
  return { id: body.user.id as string, token: body.token as string }
}
