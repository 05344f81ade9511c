import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { FetchHttpClient } from "@effect/platform"
import * as TargetProbes from "@pawl/adapters-cloudflare/builds/TargetProbes"
import type { ProbeAnswer } from "@pawl/core/release/ProbeClient"
import { TargetProbeClient } from "@pawl/core/release/TargetProbeClient"
import { targetProbeClientContract } from "@pawl/testing/TargetProbeClientContract"
import { Effect, Layer } from "effect"
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

const layer = TargetProbes.layer.pipe(Layer.provide(FetchHttpClient.layer))

targetProbeClientContract("HTTP", {
  layer: (answers) => Layer.merge(Layer.scopedDiscard(served(answers)), layer),
  url: () => url
})

describe("Target probes", () => {
  it("take a target that cannot be reached for a gap", () =>
    Effect.gen(function* () {
      const client = yield* TargetProbeClient
      const gap = yield* Effect.flip(client.get({ url: "http://127.0.0.1:1", path: "/", timeoutMs: 10_000 }))
      expect(gap).toMatchObject({ _tag: "ProbeUnanswered", path: "/", reason: "the target cannot be reached" })
    }).pipe(Effect.provide(layer), Effect.runPromise))
})
