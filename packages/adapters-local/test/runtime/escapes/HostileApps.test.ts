import { inspect } from "node:util"
import { type AppResponse, AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { ask } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect, Result } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { install, openWorld, specifiedCpu } from "../RuntimeWorld.ts"

const world = openWorld({ bounds: specifiedCpu })
const hasty = openWorld({ bounds: { ...specifiedCpu, wallMs: 1000 } })
afterAll(async () => {
  await world.dispose()
  await hasty.dispose()
})

/** The first bytes of a body as text; all of it is read. */
const beginning = async (body: AppResponse["body"]): Promise<string> => {
  let text = ""
  if (body !== null)
    for await (const chunk of body) if (text.length < 100) text += Buffer.from(chunk).toString("utf8", 0, 100)
  return text
}

/** Which bound a visitor's request broke, or what came instead. */
const visit = (version: AppVersion, path: string, where = world) =>
  where.runPromise(
    Effect.gen(function* () {
      const response = yield* Effect.flatMap(AppRuntime, (runtime) =>
        runtime.fetch(version, ask(`http://app.apps.localhost${path}`))
      )
      const body = yield* Effect.tryPromise({ try: () => beginning(response.body), catch: (reason) => reason })
      return `${response.status} ${body}`
    }).pipe(
      Effect.result,
      Effect.map(
        Result.match({
          onFailure: (failure) =>
            typeof failure === "object" && failure !== null && "limit" in failure
              ? String(failure.limit)
              : inspect(failure).slice(0, 200),
          onSuccess: (text) => text
        })
      )
    )
  )

const app = (name: string, code: string, before = "") =>
  world.runPromise(
    install(
      {
        main: `const hello = () => new Response("hello"); const kept = []; ${before}
export default { async fetch(request, env, ctx) { if (new URL(request.url).pathname === "/") return hello(); ${code} } }`,
        assets: { "a.txt": "a" }
      },
      name
    )
  )

/** Counts its visitors in what its process holds: a count that goes on is a process that was never killed. */
let visitors = 0
const neighbour = world.runPromise(
  install({ main: `let n = 0; export default { fetch: () => new Response(String(++n)) }` }, "p@innocent")
)
const neighbourIsWell = async () => expect(await visit(await neighbour, "/")).toBe(`200 ${++visitors}`)

const spin = "for (;;) ;"

const loops: ReadonlyArray<readonly [title: string, code: string]> = [
  ["in a regular expression", `/^(a+)+$/.test("a".repeat(50) + "!"); return hello()`],
  [
    "in JSON that is parsed and made again",
    `let t = "[".repeat(1e5) + "]".repeat(1e5); for (;;) t = JSON.stringify(JSON.parse(t))`
  ],
  ["in a sort", `for (;;) Array.from({ length: 1e5 }, (_, n) => -n).sort((a, b) => a - b)`],
  ["in numbers without end", `let n = 3n; for (;;) n = n * n % (2n ** 9999n); `],
  ["in promises that lead to promises", `const next = () => Promise.resolve().then(next); await next()`],
  ["in waits that never block", `for (;;) await scheduler.wait(0)`],
  [
    "in timers that set timers",
    `const next = () => { for (let n = 0; n < 1e5; n++) kept.pop(); setTimeout(next, 0) }; next(); await scheduler.wait(60000)`
  ],
  ["in a timer", `setTimeout(() => { ${spin} }, 2); await scheduler.wait(60000)`],
  ["in what it does with an answer of DATA", `await env.DATA.get("a").then(() => { ${spin} })`],
  ["in what it does with an answer of ASSETS", `await env.ASSETS.fetch("http://a/a.txt").then(() => { ${spin} })`],
  ["in the text of what it throws", `throw { toString() { ${spin} } }`],
  ["in the stack of what it throws", `throw { get stack() { ${spin} } }`],
  ["in what it answers with", `return { then() { ${spin} } }`],
  ["in a property that is looked at", `return new Proxy(hello(), { get() { ${spin} }, getPrototypeOf() { ${spin} } })`],
  ["in a patch of what answers are made with", `Headers.prototype.set = () => { ${spin} }; return hello()`],
  [
    "when its memory is given back",
    `new FinalizationRegistry(() => { ${spin} }).register({}, 1); for (;;) { kept.push({}); if (kept.length > 1e4) { kept.length = 0; await scheduler.wait(0) } }`
  ],
  ["while it prints", `for (;;) console.log("x".repeat(1000))`]
]

const bodies: ReadonlyArray<readonly [title: string, code: string]> = [
  [
    "when its body is pulled",
    `return new Response(new ReadableStream({ async pull(c) { await scheduler.wait(5); if (kept.push(0) > 2) { ${spin} } c.enqueue(new Uint8Array(70000)) } }))`
  ],
  [
    "when its body is transformed",
    `const { readable, writable } = new TransformStream({ transform(chunk, c) { if (kept.push(0) > 2) { ${spin} } c.enqueue(chunk) } }); const w = writable.getWriter(); ctx.waitUntil((async () => { for (;;) await w.write(new Uint8Array(70000)) })()); return new Response(readable)`
  ]
]

const hogs: ReadonlyArray<readonly [title: string, code: string]> = [
  ["array buffers", `for (;;) { kept.push(new Uint8Array(1 << 22).fill(1)); await scheduler.wait(0) }`],
  ["one array buffer", `kept.push(new Uint8Array(1 << 30).fill(1)); await scheduler.wait(50); return hello()`],
  ["many small texts", `for (let n = 0; ; n++) kept.push("text " + n)`],
  [
    "one long text",
    `let t = "x"; for (;;) { t += t; t.charCodeAt(t.length - 1); kept.push(new TextEncoder().encode(t)) }`
  ],
  ["maps of objects", `const m = new Map(); for (let n = 0; ; n++) m.set({ n }, { n })`],
  [
    "memory of WebAssembly",
    `const m = new WebAssembly.Memory({ initial: 1, maximum: 32768 }); for (;;) { m.grow(64); new Uint8Array(m.buffer).fill(1, m.buffer.byteLength - (64 << 16)); await scheduler.wait(0) }`
  ],
  [
    "blobs and clones",
    `for (;;) { kept.push(structuredClone(new Uint8Array(1 << 22).fill(1)), new Blob([new Uint8Array(1 << 20)])); await scheduler.wait(0) }`
  ],
  ["timers that never fire", `for (;;) setTimeout(() => kept, 1e8)`],
  [
    "streams that nobody reads",
    `for (;;) { const s = new TransformStream(undefined, undefined, new CountQueuingStrategy({ highWaterMark: 1e9 })); const w = s.writable.getWriter(); kept.push(s, w); w.write(new Uint8Array(1 << 20).fill(1)); await scheduler.wait(0) }`
  ]
]

const slow = new Set(["many small texts", "maps of objects"])

describe("a visitor of an app that runs wild is answered, the app serves on, and its neighbour is the same all the time", () => {
  it.each(loops)("a loop %s", async (title, code) => {
    const version = await app(`p@loop ${title}`, code)
    expect(await visit(version, "/")).toBe("200 hello")
    // One that waits for its own words to be read uses little time on a busy machine.
    expect(await visit(version, "/wild")).toMatch(title === "while it prints" ? /^(cpu|wall)$/ : /^(cpu|memory)$/)
    await neighbourIsWell()
    expect(await visit(version, "/")).toBe("200 hello")
  })

  it.each(bodies)("a loop %s", async (title, code) => {
    const version = await app(`p@body ${title}`, code)
    expect(await visit(version, "/")).toBe("200 hello")
    expect(await visit(version, "/wild")).toBe("cpu")
    await neighbourIsWell()
    expect(await visit(version, "/")).toBe("200 hello")
  })

  it("a loop at its top level", async () => {
    const version = await app("p@top", "", spin)
    // On a machine that is very busy, the time for a start is over first, or that for waiting for one.
    expect(await visit(version, "/")).toMatch(/^(cpu|busy)$|did not start/)
    await neighbourIsWell()
  })

  it("a loop after the answer, and the next visitor has a fresh process", async () => {
    const before = "let n = 0;"
    const version = await app(
      "p@after",
      `n++; ctx.waitUntil(scheduler.wait(1).then(() => { ${spin} })); return hello()`,
      before
    )
    for (let visits = 0; visits < 3; visits += 1) {
      expect(await visit(version, "/wild")).toMatch(/^(200 hello|cpu)$/)
      await neighbourIsWell()
      expect(await visit(version, "/")).toMatch(/^(200 hello|cpu)$/)
    }
    expect(await visit(version, "/")).toMatch(/^(200 hello|cpu|crash_loop)$/)
  })

  it.each(hogs)("a hog of %s", async (title, code) => {
    const version = await app(`p@hog ${title}`, code)
    // Those that are quick get the time of a cold start, so that it is their memory that stops them.
    if (slow.has(title)) expect(await visit(version, "/")).toBe("200 hello")
    expect(await visit(version, "/wild")).toMatch(/^(memory|cpu)$|AppThrew/)
    await neighbourIsWell()
    expect(await visit(version, "/")).toBe("200 hello")
  })

  it("an answer without end", async () => {
    const version = await app(
      "p@endless",
      `return new Response(new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(1 << 20)) } }))`
    )
    expect(await visit(version, "/wild")).toMatch(/^(response|cpu|wall|memory)$/)
    await neighbourIsWell()
    expect(await visit(version, "/")).toBe("200 hello")
  })

  it("a call of itself by itself, without end", async () => {
    const version = await app("p@self", `return await ctx.exports.default.fetch(request)`)
    expect(await visit(version, "/")).toBe("200 hello")
    expect(await visit(version, "/wild")).toMatch(/^(cpu|memory|subrequests)$|AppThrew/)
    await neighbourIsWell()
    expect(await visit(version, "/")).toBe("200 hello")
  })

  it.each([
    ["a sleep for ever", `await scheduler.wait(1e8); return hello()`],
    ["an answer that never comes", `await new Promise(() => setInterval(() => 0, 50))`],
    ["a body that never comes", `return new Response(new ReadableStream({ pull: () => scheduler.wait(1e8) }))`]
  ])("%s", async (title, code) => {
    const version = await hasty.runPromise(
      install(
        {
          main: `export default { async fetch(request, env, ctx) { if (request.url.endsWith("/")) return new Response("hello"); ${code} } }`
        },
        `p@${title}`
      )
    )
    expect(await visit(version, "/wild", hasty)).toBe("wall")
    expect(await visit(version, "/", hasty)).toBe("200 hello")
  })
})

describe("an app that calls too often is refused, and its next visitor is not", () => {
  const most = LocalLimits.appSubrequests
  it.each([
    [
      "a thousand at once",
      `await Promise.allSettled(Array.from({ length: 1000 }, () => env.DATA.get("a"))); return hello()`
    ],
    [
      "a thousand, their refusals swallowed",
      `for (let n = 0; n < 1000; n++) try { await env.DATA.get("a") } catch {} return hello()`
    ],
    [
      "of both kinds",
      `for (let n = 0; n < ${most / 2 + 1}; n++) { await env.DATA.get("a"); await env.ASSETS.fetch("http://a/a.txt") } return hello()`
    ],
    [
      "without waiting for any",
      `for (let n = 0; n < ${most + 1}; n++) env.DATA.put("a", "b").catch(() => 0); await scheduler.wait(10000); return hello()`
    ]
  ])("%s", async (title, code) => {
    const version = await app(`p@calls ${title}`, code)
    expect(await visit(version, "/")).toBe("200 hello")
    expect(await visit(version, "/wild")).toMatch(/^(subrequests|cpu)$/)
    await neighbourIsWell()
    for (let visits = 0; visits < 3; visits += 1) expect(await visit(version, "/")).toMatch(/^200 hello$/)
  })

  it("after its answer", async () => {
    const version = await app(
      "p@calls later",
      `ctx.waitUntil((async () => { for (let n = 0; n < 200; n++) await env.DATA.get("a").catch(() => 0) })()); return hello()`
    )
    expect(await visit(version, "/wild")).toMatch(/^(200 hello|subrequests)$/)
    await neighbourIsWell()
    expect(await visit(version, "/")).toMatch(/^(200 hello|subrequests|cpu)$/)
  })
})
