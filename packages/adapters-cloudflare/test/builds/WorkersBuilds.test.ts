import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import { inspect } from "node:util"
import { Effect, Fiber, Layer, Logger, Redacted, References, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as WorkersBuilds from "@pawl/adapters-cloudflare/builds/WorkersBuilds"
import type { MemoryBuilds } from "@pawl/adapters-memory/MemoryBuildService"
import { BuildService, type BuildServiceShape } from "@pawl/core/release/BuildService"
import {
  buildServiceContract,
  buildServiceTarget,
  serviceBuild
} from "@pawl/testing/contracts/release/BuildServiceContract"
import { describe, expect, it } from "vitest"
import { accountId, type Behave, failure, json, startCloudflare, token } from "./CloudflareServer.ts"

const started = (state: MemoryBuilds, behave?: Behave) =>
  Effect.acquireRelease(
    Effect.promise(() => startCloudflare(state, behave)),
    (server) => Effect.promise(server.close)
  )

const adapter = (apiUrl: string) =>
  WorkersBuilds.layer({ accountId, token: Redacted.make(token), apiUrl }).pipe(Layer.provide(FetchHttpClient.layer))

buildServiceContract("Workers Builds", {
  layer: (state) => Layer.unwrap(Effect.map(started(state), ({ url }) => adapter(url)))
})

const empty: MemoryBuilds = { builds: [], hasTrigger: false, deployment: null, fault: null }
const commit = "c".repeat(40)

type Server = Effect.Success<ReturnType<typeof started>>

/** One server that misbehaves, and the adapter before it. */
const play = <A>(
  options: { readonly state?: Partial<MemoryBuilds>; readonly behave?: Behave },
  use: (service: BuildServiceShape, server: Server) => Effect.Effect<A, unknown>
): Promise<A> =>
  Effect.gen(function* () {
    const server = yield* started({ ...empty, ...options.state }, options.behave)
    return yield* Effect.provide(
      Effect.flatMap(BuildService, (service) => use(service, server)),
      adapter(server.url)
    )
  }).pipe(Effect.scoped, Effect.runPromise)

/** Every question there is, each with what it failed with. */
const faults = (service: BuildServiceShape) =>
  Effect.all([
    Effect.flip(Effect.asVoid(service.builds(buildServiceTarget, commit))),
    Effect.flip(Effect.asVoid(service.hasTrigger(buildServiceTarget))),
    Effect.flip(Effect.asVoid(service.newestDeployment(buildServiceTarget)))
  ])

const always =
  (status: number, body: unknown, headers: Record<string, string> = {}): Behave =>
  (_request, response) =>
    json(response, status, body, headers)

describe("Workers Builds", () => {
  it("is only ever read, with the token in one header, at the documented paths", () =>
    play({ state: { deployment: { id: "d", versionId: "v", buildId: "b" } } }, (service, server) =>
      Effect.gen(function* () {
        yield* service.builds(buildServiceTarget, commit)
        yield* service.hasTrigger(buildServiceTarget)
        yield* service.newestDeployment(buildServiceTarget)
        const account = `/accounts/${accountId}`
        const worker = `${account}/builds/workers/${buildServiceTarget.workerTag}`
        expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
          `GET ${worker}/builds?page=1&per_page=50`,
          `GET ${worker}/triggers`,
          `GET ${account}/workers/scripts/shop/deployments`,
          `GET ${account}/builds/builds?version_ids=v`
        ])
        expect(JSON.stringify(server.seen)).not.toContain(token)
      })
    ))

  it("finds a build some pages back, and looks no further than it may", () => {
    const others = Array.from({ length: 500 }, (_, index) =>
      serviceBuild({
        id: `o${index}`,
        commit: "d".repeat(40),
        createdAt: `2026-03-02T10:00:00.${String(index).padStart(3, "0")}Z`
      })
    )
    return Promise.all([
      play({ state: { builds: [serviceBuild({ id: "b1" }), ...others.slice(0, 120)] } }, (service) =>
        Effect.map(service.builds(buildServiceTarget, commit), (builds) =>
          expect(builds.map(({ id }) => id)).toEqual(["b1"])
        )
      ),
      play({ state: { builds: others } }, (service, server) =>
        Effect.map(service.builds(buildServiceTarget, commit), (builds) => {
          expect(builds).toEqual([])
          expect(server.seen.length).toBe(CloudflareLimits.buildServicePages)
        })
      )
    ])
  })

  it("takes for null what is left out: an outcome, the commit, when a trigger was deleted, and builds at all", async () => {
    const builds = [
      { build_uuid: "b1", created_on: "2026-03-01T00:00:00Z", build_trigger_metadata: { commit_hash: commit } },
      { build_uuid: "b2", created_on: "2026-03-01T00:00:00Z", build_trigger_metadata: {} },
      { build_uuid: "b3", created_on: "2026-03-01T00:00:00Z" }
    ]
    const answering = (result: unknown) => ({ behave: always(200, { success: true, result }) })
    const running = { id: "b1", status: "running", outcome: null, commit, createdAt: "2026-03-01T00:00:00Z" }
    await play(answering(builds), (service) =>
      Effect.map(service.builds(buildServiceTarget, commit), (found) => expect(found).toEqual([running]))
    )
    await play(answering([{ trigger_uuid: "t1" }]), (service) =>
      Effect.map(service.hasTrigger(buildServiceTarget), (found) => expect(found).toBe(true))
    )
    await play(answering(undefined), (service) =>
      Effect.map(
        Effect.all([service.builds(buildServiceTarget, commit), service.hasTrigger(buildServiceTarget)]),
        (found) => expect(found).toEqual([[], false])
      )
    )
    const versions = [{ version_id: "v1", percentage: 100 }]
    const deployments = [{ id: "d", created_on: "2026-03-01T00:00:00Z", versions }]
    const behave: Behave = (request, response) =>
      json(response, 200, { success: true, result: request.url?.includes("/builds/builds") ? {} : { deployments } })
    await play({ behave }, (service) =>
      Effect.map(service.newestDeployment(buildServiceTarget), (found) =>
        expect(found).toEqual({ id: "d", versionId: "v1", buildId: null })
      )
    )
  })

  it("does not take a deployment that splits requests for the newest one", () => {
    const versions = [
      { version_id: "v1", percentage: 90 },
      { version_id: "v2", percentage: 10 }
    ]
    const result = { deployments: [{ id: "d", created_on: "2026-03-01T00:00:00Z", versions }] }
    return play({ behave: always(200, { success: true, errors: [], messages: [], result }) }, (service) =>
      Effect.map(service.newestDeployment(buildServiceTarget), (deployment) => expect(deployment).toBeNull())
    )
  })

  it.each([
    [401, failure(10000, "Authentication error")],
    [403, failure(9109, "Unauthorized to access requested resource")],
    [400, failure(6003, "Invalid request headers")]
  ])("says Unauthorized to %d", (status, body) =>
    play({ behave: always(status, body) }, (service) =>
      Effect.map(faults(service), (all) => {
        for (const fault of all) expect(fault).toMatchObject({ _tag: "BuildServiceUnauthorized", status })
      })
    )
  )

  it.each([
    ["120", 120_000],
    [undefined, null],
    ["soon", null]
  ])("tells how long a 429 asks it to wait: %s", (after, retryAfterMs) =>
    play(
      { behave: always(429, failure(971, "rate"), after === undefined ? {} : { "retry-after": after }) },
      (service) =>
        Effect.map(faults(service), (all) => {
          for (const fault of all) expect(fault).toMatchObject({ _tag: "BuildServiceLimited", retryAfterMs })
        })
    )
  )

  it("reads a Retry-After that is a date by its own clock", () =>
    play({ behave: always(429, failure(971, "rate"), { "retry-after": "Thu, 01 Jan 1970 00:02:00 GMT" }) }, (service) =>
      Effect.map(Effect.flip(Effect.asVoid(service.hasTrigger(buildServiceTarget))), (fault) =>
        expect(fault).toMatchObject({ _tag: "BuildServiceLimited", retryAfterMs: 120_000 })
      ).pipe(Effect.provide(TestClock.layer()))
    ))

  const text =
    (status: number, body: string, headers: Record<string, string> = {}): Behave =>
    (_request, response) => {
      response.writeHead(status, headers)
      response.end(body)
      return true
    }
  const broken: ReadonlyArray<readonly [string, Behave]> = [
    ["500", always(500, failure(7500, "internal"))],
    ["500 that is not JSON", text(500, "<html>")],
    ["404", always(404, failure(7003, "no route"))],
    ["JSON that breaks off", text(200, '{"success":true,"result":[{')],
    ["JSON of another shape", always(200, { success: true, result: [{ build_uuid: 7 }] })],
    ["success that is none", always(200, { success: false, errors: [], result: null })],
    [
      "an outcome nobody knows",
      always(200, { success: true, result: [{ build_uuid: "b", build_outcome: "?", created_on: "" }] })
    ],
    ["a body that is too long", text(200, `"${"x".repeat(CloudflareLimits.buildServiceBodyBytes + 10)}"`)],
    ["a redirect", text(302, "", { location: "http://127.0.0.1:1/steal" })],
    [
      "a connection that is cut",
      (request) => {
        request.socket.destroy()
        return true
      }
    ]
  ]
  it.each(broken)("says Unavailable to %s", (_name, behave) =>
    play({ behave }, (service) =>
      Effect.map(Effect.flip(Effect.asVoid(service.builds(buildServiceTarget, commit))), (fault) =>
        expect(fault).toMatchObject({ _tag: "BuildServiceUnavailable" })
      )
    )
  )

  it("waits for a slow answer no longer than its bound", () =>
    play({ behave: () => true }, (service, server) =>
      Effect.gen(function* () {
        const asked = server.asked()
        const asking = yield* Effect.forkChild(Effect.result(service.hasTrigger(buildServiceTarget)))
        yield* Effect.promise(() => asked)
        yield* TestClock.adjust(CloudflareLimits.buildServiceTimeoutMs)
        expect(yield* Fiber.join(asking)).toMatchObject(
          Result.fail({ _tag: "BuildServiceUnavailable", reason: "it did not answer in time" })
        )
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("never shows the token, in no fault and in no log", async () => {
    const logged: Array<string> = []
    const all = Logger.make((entry) => void logged.push(inspect(entry, { depth: 12 })))
    const kinds: ReadonlyArray<Behave> = [
      always(401, failure(10000, "Authentication error")),
      always(429, failure(971, "rate")),
      always(500, failure(7500, "internal")),
      (request) => {
        request.socket.destroy()
        return true
      }
    ]
    for (const behave of kinds)
      await play({ behave }, (service) =>
        Effect.gen(function* () {
          const found = yield* faults(service)
          for (const fault of found) {
            yield* Effect.logError("a fault", fault)
            logged.push(inspect(fault, { depth: 12 }), JSON.stringify(fault), String(fault), fault.message)
          }
          const cause = yield* Effect.flip(Effect.sandbox(service.hasTrigger(buildServiceTarget)))
          yield* Effect.logError(cause)
        }).pipe(
          Effect.withSpan("test"),
          Effect.provide(Logger.layer([all])),
          Effect.provideService(References.MinimumLogLevel, "All")
        )
      )
    expect(logged.length).toBeGreaterThan(20)
    for (const line of logged) expect(line).not.toContain(token)
  })
})
