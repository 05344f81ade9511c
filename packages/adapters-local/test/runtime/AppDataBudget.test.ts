/** An app's data on a real SQLite file: what one request may call fits in the CPU that one request may take. */
import { readdirSync, readFileSync } from "node:fs"
import { AppData } from "@pawl/core/app/AppData"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import type { Pointer } from "@pawl/core/model/Pointer"
import { insert, update } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import * as Assets from "@pawl/router/Assets"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { rounds } from "@pawl/testing/Depth"
import { Effect, Layer, ManagedRuntime, References } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import * as WorkerdAppRuntime from "../../src/runtime/WorkerdAppRuntime.ts"
import { layerFresh, temporaryFolder } from "../sqlite/SqliteFixture.ts"
import { install, memoryObjects, project } from "./RuntimeWorld.ts"

const world = ManagedRuntime.make(
  Layer.unwrap(Effect.map(temporaryFolder, (folder) => WorkerdAppRuntime.layer({ folder }))).pipe(
    Layer.provideMerge(Layer.mergeAll(Assets.layer, layerFresh)),
    Layer.provideMerge(memoryObjects()),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )
)
afterAll(() => world.dispose())

const warm = rounds({ quick: 20, deep: 200 })

const app = `let answer = null
export default { async fetch(request, env, ctx) {
  const { pathname, searchParams } = new URL(request.url)
  const said = async (call) => { try { return (await call()) ?? "none" } catch (error) { return error.name + ": " + error.message } }
  if (pathname === "/kept") return new Response(await said(() => env.DATA.put("k", "late")))
  const n = searchParams.get("n")
  const value = "x".repeat(Number(searchParams.get("size")))
  for (let i = 0; i < ${LocalLimits.appSubrequests / 2}; i++) {
    await env.DATA.put("key-" + i, n + value)
    if ((await env.DATA.get("key-" + i)) !== n + value) throw new Error("another value")
  }
  return new Response(n)
} }`

/** Milliseconds of CPU of every workerd, by process. */
const cpuMs = (): ReadonlyMap<string, number> => {
  const times = new Map<string, number>()
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      if (readFileSync(`/proc/${pid}/comm`, "utf8").trim() !== "workerd") continue
      let sum = 0
      for (const thread of readdirSync(`/proc/${pid}/task`))
        sum += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6
      times.set(pid, sum)
    } catch {
      // It ended meanwhile.
    }
  return times
}

const get = (version: AppVersion, path: string) =>
  Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask(`http://app.apps.localhost${path}`))).pipe(
    Effect.flatMap(({ body }) => Effect.promise(() => bodyText(body)))
  )

/** The row that a router would have found, so that each write is checked against it. */
const pointer = (version: AppVersion): Pointer => ({
  projectId: project,
  slug: "app",
  label: "app",
  channel: "production",
  incarnation: 1,
  commit: "0".repeat(40),
  generation: 0,
  bundleKey: version.bundleKey,
  bundleDigest: version.bundleDigest,
  status: "live",
  reason: null,
  candidateId: null,
  changeId: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z"
})

describe("env.DATA of an app that serves", () => {
  it(`takes all ${LocalLimits.appSubrequests} calls of a request, ${warm} times in a row, and no request is stopped`, () =>
    world.runPromise(
      Effect.gen(function* () {
        const version = { ...(yield* install({ main: app }, "p@data")), incarnation: 1 }
        yield* (yield* Ledger).commit({
          name: "test",
          projectId: project,
          writes: [insert("pointer", pointer(version))]
        })
        for (let n = 0; n < 5; n++) yield* get(version, `/?n=${n}&size=100`)
        for (const [size, requests] of [
          [100, warm],
          [16_384, warm / 4]
        ] as const) {
          const before = cpuMs()
          for (let n = 0; n < requests; n++) expect(yield* get(version, `/?n=${n}&size=${size}`)).toBe(String(n))
          const used = [...cpuMs()].map(([pid, ms]) => ms - (before.get(pid) ?? 0))
          const perRequest = Math.max(...used) / requests
          console.log(
            `${LocalLimits.appSubrequests} calls with ${size} bytes: ${perRequest.toFixed(2)} ms of CPU a request`
          )
        }
      })
    ))

  it("is refused to an app that was removed while it ran, which sees why, and what was wiped stays empty", () =>
    world.runPromise(
      Effect.gen(function* () {
        const version = { ...(yield* install({ main: app }, "p@data")), incarnation: 1 }
        const store = { project, channel: "production" }
        const data = yield* AppData
        expect(yield* get(version, "/kept")).toBe("none")
        const row = pointer(version)
        yield* (yield* Ledger).commit({
          name: "test",
          projectId: project,
          writes: [update("pointer", { record: row, revision: 1 }, { status: "removed", leftovers: true })]
        })
        yield* data.wipe(store)
        expect(yield* get(version, "/kept")).toBe(
          "Error: This env.DATA is gone: the app or preview that it belonged to was removed."
        )
        expect(yield* data.list(store, {})).toEqual({ keys: [], complete: true })
      })
    ))
})
