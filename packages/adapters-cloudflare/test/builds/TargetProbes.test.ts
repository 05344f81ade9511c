import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as TargetProbes from "@pawl/adapters-cloudflare/builds/TargetProbes"
import type { ProbeAnswer } from "@pawl/core/release/ProbeClient"
import { OutboundRule } from "@pawl/core/primitives/OutboundAddress"
import { TargetProbeClient } from "@pawl/core/release/TargetProbeClient"
import { targetProbeClientContract } from "@pawl/testing/contracts/release/TargetProbeClientContract"
import { describe, expect, it } from "vitest"

let url = ""

const served = (answers: ReadonlyMap<string, ProbeAnswer>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        const answer = answers.get(request.url ?? "")
        if (answer === undefined) return
        const type = answer.contentType === null ? {} : { "content-type": answer.contentType }
        const redirect = answer.status === 302 ? { location: "/new" } : {}
        response.writeHead(answer.status, { ...type, ...redirect })
        response.end(answer.body)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      return server
    }),
    (server) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.closeAllConnections()
            server.close(() => resolve())
          })
      )
  )

/** The targets of these tests are on this machine. */
const layer = TargetProbes.layer.pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provide(Layer.succeed(OutboundRule, { allowPrivate: true }))
)

targetProbeClientContract("HTTP", {
  layer: (answers) => Layer.merge(Layer.effectDiscard(served(answers)), layer),
  url: () => url
})

describe("Target probes", () => {
  it("take a target that cannot be reached for a gap", () =>
    Effect.gen(function* () {
      const client = yield* TargetProbeClient
      const gap = yield* Effect.flip(client.get({ url: "http://127.0.0.1:1", path: "/", timeoutMs: 10_000 }))
      expect(gap).toMatchObject({ _tag: "ProbeUnanswered", path: "/", reason: "the target cannot be reached" })
    }).pipe(Effect.provide(layer), Effect.runPromise))

  it("call no target that is on this machine or in its network", () =>
    Effect.gen(function* () {
      yield* served(new Map())
      const { port } = new URL(url)
      const client = yield* TargetProbeClient
      for (const host of [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "10.0.0.1",
        "169.254.169.254",
        "db.internal",
        "[::1]"
      ])
        expect([
          host,
          yield* Effect.flip(client.get({ url: `http://${host}:${port}`, path: "/", timeoutMs: 10_000 }))
        ]).toMatchObject([host, { _tag: "ProbeUnanswered", reason: "the address is not public" }])
    }).pipe(
      Effect.scoped,
      Effect.provide(TargetProbes.layer.pipe(Layer.provide(FetchHttpClient.layer))),
      Effect.runPromise
    ))
})
