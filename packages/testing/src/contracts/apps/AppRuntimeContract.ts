/**
 * What every `AppRuntime` promises. Each app of the contract is given twice, as the source of a Worker
 * and as a handler, so that a runtime of real isolates and the memory layer keep the same promises.
 */
import { type AppRequest, type AppResponse, AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { Effect, type Layer, Result } from "effect"
import { describe, expect, it } from "vitest"

/** One app in its two forms, which answer alike. `make` is asked for each start. */
export interface ContractApp {
  readonly source: string
  readonly make: () => (request: AppRequest) => ReturnType<(typeof AppRuntime.Service)["fetch"]>
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield bytes(text)
}

/** The whole of a body as text. */
export const bodyText = async (body: AppResponse["body"]): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  if (body !== null) for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

const answer = (status: number, text: string, headers: AppResponse["headers"] = []): AppResponse => ({
  status,
  headers,
  body: once(text)
})

const header = (request: AppRequest, name: string): string | null =>
  request.headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? null

/** Answers what it was asked, as JSON. */
const echo: ContractApp = {
  source: `export default { async fetch(request) {
    return Response.json({ method: request.method, url: request.url, note: request.headers.get("x-note"), body: await request.text() })
  } }`,
  make: () => (request) =>
    Effect.promise(async () =>
      answer(
        200,
        JSON.stringify({
          method: request.method,
          url: request.url,
          note: header(request, "x-note"),
          body: await bodyText(request.body)
        })
      )
    )
}

/** Passes the body on as it comes. */
export const mirror: ContractApp = {
  source: `export default { async fetch(request) { return new Response(request.body) } }`,
  make: () => (request) => Effect.succeed({ status: 200, headers: [], body: request.body })
}

const cookies: ContractApp = {
  source: `export default { async fetch() {
    const headers = new Headers({ "x-one": "1" })
    headers.append("set-cookie", "a=1; Path=/")
    headers.append("set-cookie", "b=2")
    return new Response("cookies", { status: 201, headers })
  } }`,
  make: () => () =>
    Effect.succeed(
      answer(201, "cookies", [
        ["x-one", "1"],
        ["set-cookie", "a=1; Path=/"],
        ["set-cookie", "b=2"]
      ])
    )
}

const thrower: ContractApp = {
  source: `export default { async fetch() { throw new Error("the app is broken") } }`,
  make: () => () => Effect.die(new Error("the app is broken"))
}

const failing: ContractApp = {
  source: `export default { async fetch() { return new Response("my own error", { status: 500 }) } }`,
  make: () => () => Effect.succeed(answer(500, "my own error"))
}

const redirect: ContractApp = {
  source: `export default { async fetch() { return new Response(null, { status: 302, headers: { location: "/elsewhere" } }) } }`,
  make: () => () => Effect.succeed({ status: 302, headers: [["location", "/elsewhere"]], body: null })
}

/** Counts its requests in what a version holds for as long as it runs. */
const counter: ContractApp = {
  source: `let count = 0; export default { async fetch() { count += 1; return new Response(String(count)) } }`,
  make: () => {
    let count = 0
    return () => Effect.sync(() => answer(200, String((count += 1))))
  }
}

/** Answers more than anyone reads at once. */
export const flood: ContractApp = {
  source: `export default { async fetch() {
    const chunk = new Uint8Array(65536)
    let left = 512
    return new Response(new ReadableStream({ pull(controller) { if (left-- > 0) controller.enqueue(chunk); else controller.close() } }))
  } }`,
  make: () => () =>
    Effect.sync(() => ({
      status: 200,
      headers: [],
      body: (async function* () {
        for (let left = 512; left > 0; left -= 1) yield new Uint8Array(65536)
      })()
    }))
}

/** How an adapter's test makes a runtime for this contract. */
export interface AppRuntimeFixture {
  readonly layer: Layer.Layer<AppRuntime, unknown>
  /** Makes a version of an app that the runtime can serve. */
  readonly install: (app: ContractApp, id: string) => Promise<AppVersion>
}

/** A request with nothing but what is given. */
export const ask = (url: string, more: Partial<AppRequest> = {}): AppRequest => ({
  method: "GET",
  headers: [],
  body: null,
  ...more,
  url
})

const home = "http://shop.apps.localhost:8787/"

/** Declares the suite. Each of its tests makes a fixture of its own. */
export const appRuntimeContract = (name: string, make: () => Promise<AppRuntimeFixture>): void => {
  const run = async <A>(
    body: (fixture: AppRuntimeFixture, runtime: AppRuntime["Service"]) => Effect.Effect<A, unknown>
  ): Promise<A> => {
    const fixture = await make()
    return Effect.runPromise(
      Effect.provide(
        Effect.flatMap(AppRuntime, (runtime) => body(fixture, runtime)),
        fixture.layer
      )
    )
  }
  const install = (fixture: AppRuntimeFixture, app: ContractApp, id: string) =>
    Effect.promise(() => fixture.install(app, id))
  const text = (response: AppResponse) => Effect.promise(() => bodyText(response.body))

  describe(`${name} keeps the promises of AppRuntime`, () => {
    it("brings method, URL, headers and body to the app", () =>
      run((fixture, runtime) =>
        Effect.gen(function* () {
          const version = yield* install(fixture, echo, "p@echo")
          const url = "https://shop.apps.localhost:8787/a%20b/c?x=1&y=%C3%BC"
          const response = yield* runtime.fetch(
            version,
            ask(url, { method: "POST", headers: [["x-note", "hello"]], body: once("the body") })
          )
          expect(JSON.parse(yield* text(response))).toEqual({ method: "POST", url, note: "hello", body: "the body" })
        })
      ))

    it("brings status and every header back, two cookies as two", () =>
      run((fixture, runtime) =>
        Effect.gen(function* () {
          const response = yield* runtime.fetch(yield* install(fixture, cookies, "p@cookies"), ask(home))
          expect(response.status).toBe(201)
          expect(
            response.headers.filter(([one]) => one.toLowerCase() === "set-cookie").map(([, value]) => value)
          ).toEqual(["a=1; Path=/", "b=2"])
          expect(response.headers.filter(([one]) => one.toLowerCase() === "x-one")).toHaveLength(1)
          expect(yield* text(response)).toBe("cookies")
        })
      ))

    it("leaves a redirect to the visitor", () =>
      run((fixture, runtime) =>
        Effect.gen(function* () {
          const response = yield* runtime.fetch(yield* install(fixture, redirect, "p@redirect"), ask(home))
          expect(response.status).toBe(302)
          expect(response.headers.find(([one]) => one.toLowerCase() === "location")?.[1]).toBe("/elsewhere")
          expect(yield* text(response)).toBe("")
        })
      ))

    it("tells an app that throws from one that answers 500", () =>
      run((fixture, runtime) =>
        Effect.gen(function* () {
          const thrown = yield* Effect.result(runtime.fetch(yield* install(fixture, thrower, "p@throws"), ask(home)))
          expect(Result.isFailure(thrown) && thrown.failure).toMatchObject({
            _tag: "AppThrew",
            version: "p@throws",
            reason: expect.stringContaining("the app is broken")
          })
          const own = yield* runtime.fetch(yield* install(fixture, failing, "p@fails"), ask(home))
          expect([own.status, yield* text(own)]).toEqual([500, "my own error"])
        })
      ))

    it("refuses a version whose bundle is not there", () =>
      run((fixture, runtime) =>
        Effect.gen(function* () {
          const version = yield* install(fixture, echo, "p@there")
          const gone = { ...version, id: "p@gone", bundleKey: "apps/p/gone/bundle.json" }
          expect(yield* Effect.flip(runtime.fetch(gone, ask(home)))).toMatchObject({
            _tag: "BundleUnusable",
            version: "p@gone"
          })
        })
      ))

    it("keeps versions apart, each with what it holds, until it is stopped", () =>
      run((fixture, runtime) =>
        Effect.gen(function* () {
          const one = yield* install(fixture, counter, "p@count")
          const other = yield* install(fixture, counter, "p@count#preview:v0000001")
          const count = (version: AppVersion) => Effect.flatMap(runtime.fetch(version, ask(home)), text)
          expect([yield* count(one), yield* count(one), yield* count(other)]).toEqual(["1", "2", "1"])
          yield* runtime.stop(one.id)
          expect([yield* count(one), yield* count(other)]).toEqual(["1", "2"])
          yield* runtime.stop("p@never-ran")
        })
      ))

    it("passes a long body through, whole and in order", () =>
      run((fixture, runtime) =>
        Effect.gen(function* () {
          const version = yield* install(fixture, mirror, "p@mirror")
          const sent = (async function* () {
            for (let part = 0; part < 64; part += 1) yield new Uint8Array(65536).fill(part)
          })()
          const response = yield* runtime.fetch(version, ask(home, { method: "POST", body: sent }))
          const totals = yield* Effect.promise(async () => {
            const seen = new Array<number>(64).fill(0)
            let last = 0
            let ordered = true
            for await (const chunk of response.body ?? []) {
              for (const byte of chunk) {
                ordered &&= byte >= last
                last = byte
                seen[byte] = (seen[byte] ?? 0) + 1
              }
            }
            return ordered ? seen : "out of order"
          })
          expect(totals).toEqual(new Array(64).fill(65536))
        })
      ))

    it("serves on after a visitor left in the middle of an answer", () =>
      run((fixture, runtime) =>
        Effect.gen(function* () {
          const version = yield* install(fixture, flood, "p@flood")
          for (let visit = 0; visit < 6; visit += 1) {
            const response = yield* runtime.fetch(version, ask(home))
            yield* Effect.promise(async () => {
              for await (const chunk of response.body ?? []) if (chunk.length > 0) break
            })
          }
          const whole = yield* runtime.fetch(version, ask(home))
          const length = yield* Effect.promise(async () => {
            let total = 0
            for await (const chunk of whole.body ?? []) total += chunk.length
            return total
          })
          expect(length).toBe(512 * 65536)
        })
      ))
  })
}
