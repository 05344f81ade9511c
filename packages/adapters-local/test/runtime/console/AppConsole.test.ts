import { PassThrough } from "node:stream"
import { type AppLogLine, AppLogs, type NewLogLine } from "@pawl/core/app/AppLogs"
import { AppOverLimit, AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect, Stream } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { AppConsole } from "../../../src/runtime/console/AppConsole.ts"
import { type AppSource, install, openWorld, project, specifiedCpu } from "../RuntimeWorld.ts"

const world = openWorld()
const strict = openWorld({ bounds: specifiedCpu })
afterAll(() => Promise.all([world.dispose(), strict.dispose()]))

const app = (name: string, main: string, source: Partial<AppSource> = {}, inside = world) =>
  inside.runPromise(install({ main, ...source }, name))
const handler = (body: string) => `export default { async fetch(request, env, ctx) { ${body} } }`

/** Asks once; the status as the router would answer it, 0 for a body that broke off. */
const get = (version: AppVersion, path = "/", inside = world) =>
  inside.runPromise(
    Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask(`http://app.apps.localhost${path}`))).pipe(
      Effect.flatMap(({ body, status }) =>
        Effect.promise(() => bodyText(body).then(() => status)).pipe(Effect.catchDefect(() => Effect.succeed(0)))
      ),
      Effect.catchTags({ AppThrew: () => Effect.succeed(502), AppOverLimit: () => Effect.succeed(503) })
    )
  )

/** The lines of a version up to one that is the last, as they come. */
const linesOf = (
  version: AppVersion,
  isLast: (line: AppLogLine) => boolean,
  inside = world
): Promise<ReadonlyArray<AppLogLine>> =>
  inside.runPromise(
    Effect.flatMap(AppLogs, (logs) =>
      logs.follow(version.project, { after: 0 }).pipe(
        Stream.filter((line) => line.version === version.id),
        Stream.takeUntil(isLast),
        Stream.runCollect
      )
    )
  )
const upTo = (version: AppVersion, text: string, inside = world) =>
  linesOf(version, (line) => line.text.includes(text), inside)
const told = (lines: ReadonlyArray<AppLogLine>) => lines.map(({ level, text }) => `${level}: ${text}`)

describe("what an app prints", () => {
  it("is kept with its level and in its order: from the top level, while it answers, and after", async () => {
    const version = await app(
      "p@levels",
      `console.log("top level")
       ${handler(`console.debug("d"); console.info("i %d", 5); console.warn("w", { a: [1, { b: 2 }] }); console.error(new TypeError("shown"))
       ctx.waitUntil((async () => { await Promise.resolve(); console.log("after") })()); return new Response("ok")`)}`,
      { channel: "preview:01234567" }
    )
    expect(await get(version)).toBe(200)
    const lines = await upTo(version, "after")
    expect(told(lines)).toEqual([
      "log: top level",
      "debug: d",
      "info: i 5",
      "warn: w { a: [ 1, { b: 2 } ] }",
      expect.stringMatching(/^error: TypeError: shown\n {4}at Object\.fetch \(src\/index\.js:2:\d+\)$/),
      "log: after"
    ])
    for (const line of lines) expect(line).toMatchObject({ channel: "preview:01234567", source: "console" })
  })

  it("is one line however many it has, with controls made visible and what is too long cut", async () => {
    const version = await app(
      "p@odd",
      handler(`console.log("a\\nb\\r\\nc"); console.log("\\u0000\\u001b[31mred\\u0007\\u202e\\ud83e"); console.log("x".repeat(5000))
        console.log("ä\\n".repeat(300000)); console.log(""); console.log("end"); return new Response("ok")`)
    )
    expect(await get(version)).toBe(200)
    const texts = (await upTo(version, "end")).map((line) => line.text)
    expect(texts.slice(0, 2)).toEqual(["a\nb\nc", "␀␛[31mred␇\\u202e\ufffd"])
    expect(texts[2]).toMatch(/^x{4000,} … \(cut: 5000 bytes\)$/)
    expect(texts[3]).toMatch(/^(ä\n)+ä? … \(cut: \d{6,} bytes\)$/)
    for (const text of texts) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Limits.appLogLineBytes)
    expect(texts.slice(4)).toEqual(["", "end"])
  })

  it("is its own alone: what looks like a line of workerd, or of another app, is text", async () => {
    const version = await app(
      "p@forger",
      handler(`const forged = '{"timestamp":"1","level":"info","source":"workerd/io/worker.c++:1","message":"uncaught exception; source = Uncaught; stack = forged","context_depth":0}'
        console.log("x\\n" + forged); process.stdout.write(forged + "\\n"); process.stderr.write("end\\n"); return new Response("ok")`),
      { flags: ["nodejs_compat"] }
    )
    expect(await get(version)).toBe(200)
    const lines = await upTo(version, "end")
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).toMatchObject({ source: "console", level: "log", version: "p@forger" })
  })

  it("costs a bounded amount when it is a flood, which says how many lines it dropped", async () => {
    const flood = {
      ...(await app(
        "p@flood",
        handler(`for (let n = 0; n < 2000; n++) console.log("line " + n); return new Response("ok")`)
      )),
      project: `${project.slice(0, -1)}2`
    }
    expect(await get(flood)).toBe(200)
    const lines = await upTo(flood, "lines dropped")
    const dropped = Number(/^\d+/.exec(lines.at(-1)?.text ?? "")?.[0])
    expect(lines.at(-1)).toMatchObject({ source: "limit", level: "warn" })
    expect(lines.slice(0, LocalLimits.appLogLinesPerSecond).map((line) => line.text)).toEqual(
      Array.from({ length: LocalLimits.appLogLinesPerSecond }, (_, n) => `line ${n}`)
    )
    expect(lines.length - 1 + dropped).toBe(2000)
  })
})

describe("why an app threw", () => {
  it("is told with the request, without its query, and the place in the bundle", async () => {
    const version = await app(
      "p@throws",
      `export default {\n  async fetch(request) {\n    const cart = {}\n    return cart.total()\n  }\n}\n`
    )
    expect(await get(version, "/checkout?card=4111")).toBe(502)
    expect(told(await upTo(version, "cart"))).toEqual([
      "error: GET /checkout: TypeError: cart.total is not a function\n    at Object.fetch (src/index.js:4:17)"
    ])
    expect((await upTo(version, "cart"))[0]?.source).toBe("exception")
  })

  it("is told of what is thrown at the top level, as no error, in waitUntil, in a timer and in a body", async () => {
    const cases: ReadonlyArray<readonly [main: string, status: number, text: RegExp]> = [
      [`throw new Error("at the top")`, 502, /^GET \/: Error: at the top\n +at src\/index\.js:1:7$/],
      [handler(`throw "a string"`), 502, /^GET \/: a string$/],
      [
        handler(`ctx.waitUntil(Promise.reject(new Error("later"))); return new Response("ok")`),
        200,
        /^Uncaught Error: later\n +at Object\.fetch \(src\/index\.js:1:\d+\)$/
      ],
      [
        handler(
          `setTimeout(() => { throw new Error("in a timer") }, 0); await new Promise((done) => setTimeout(done, 5)); return new Response("ok")`
        ),
        200,
        /^Uncaught Error: in a timer\n +at src\/index\.js:1:\d+$/
      ],
      [
        handler(`return new Response(new ReadableStream({ pull() { throw new Error("in the body") } }))`),
        502,
        /^(GET \/: |Uncaught )Error: in the body$/
      ]
    ]
    for (const [n, [main, status, text]] of cases.entries()) {
      const version = await app(`p@case${n}`, main)
      expect([n, await get(version)]).toEqual([n, status])
      const [line] = await linesOf(version, () => true)
      expect(line?.text).toMatch(text)
      expect(line).toMatchObject({ source: "exception", level: "error" })
    }
  })

  it("says nothing of a call that failed and was caught, and shows no path of the host", async () => {
    const version = await app(
      "p@caught",
      handler(
        `try { await env.DATA.get(5) } catch (error) { console.log("caught", error.message) } await env.DATA.get("x".repeat(600))`
      )
    )
    expect(await get(version)).toBe(502)
    const texts = (await upTo(version, "GET /")).map((line) => line.text)
    expect(texts).toEqual([
      "caught DATA: the key must be a string",
      expect.stringMatching(/^GET \/: Error: A key of env\.DATA has at most 512 characters[^]*src\/index\.js/)
    ])
    expect(texts.join()).not.toMatch(/workerd|host|node_modules/)
  })
})

describe("which bound stopped an app", () => {
  it("is told with the request, also when it stopped it after the answer", async () => {
    const looping = await app(
      "p@loop",
      handler(`if (request.url.endsWith("/warm")) return new Response("ok"); console.log("before"); for (;;) {}`),
      {},
      strict
    )
    expect(await get(looping, "/warm", strict)).toBe(200)
    expect(await get(looping, "/spin", strict)).toBe(503)
    expect(told(await upTo(looping, "CPU", strict))).toEqual([
      "log: before",
      expect.stringMatching(/^error: GET \/spin: stopped: it used more CPU time than the 50 ms/)
    ])
    const after = await app(
      "p@after",
      handler(
        `if (!request.url.endsWith("/warm")) ctx.waitUntil((async () => { await Promise.resolve(); for (;;) {} })()); return new Response("ok")`
      ),
      {},
      strict
    )
    expect(await get(after, "/warm", strict)).toBe(200)
    expect([200, 503]).toContain(await get(after, "/", strict))
    expect((await upTo(after, "CPU", strict)).at(-1)).toMatchObject({ source: "limit", level: "error" })
    const calling = await app(
      "p@calls",
      handler(`for (let n = 0; n < 21; n++) await env.DATA.get("k"); return new Response("ok")`),
      {},
      strict
    )
    expect(await get(calling, "/calls", strict)).toBe(503)
    expect(told(await upTo(calling, "calls in one", strict))).toEqual([
      "error: GET /calls: stopped: it made more than 20 calls in one request"
    ])
  })

  it("is told once for a crowd that is turned away", async () => {
    const stored: Array<NewLogLine> = []
    const console = new AppConsole((_, lines) => Promise.resolve(void stored.push(...lines)))
    const version: AppVersion = { id: "p@rests", project, channel: "production", bundleKey: "", bundleDigest: "" }
    const resting = new AppOverLimit({ version: version.id, limit: "crash_loop", retryAfterSeconds: 3 })
    for (let n = 0; n < 5000; n++) console.failed(version, ask(`http://app.apps.localhost/${n}?q`), resting)
    await console.close()
    expect(stored.map((line) => line.text)).toEqual([
      "GET /0: refused: the app died too often and rests for a while",
      "4999 more requests refused: the app died too often and rests for a while"
    ])
  })
})

describe("a store that fails or never answers", () => {
  const version: AppVersion = { id: "p@x", project, channel: "production", bundleKey: "", bundleDigest: "" }
  const printed = (text: string) => `${JSON.stringify({ timestamp: 1, level: "log", message: text })}\n`

  it("loses lines, says how many once it is back, and keeps the newer ones", async () => {
    const stored: Array<NewLogLine> = []
    let away = true
    const back = Promise.withResolvers<void>()
    const all = Promise.withResolvers<void>()
    const console = new AppConsole((_, lines) => {
      if (away) {
        away = false
        back.resolve()
        return Promise.reject(new Error("away"))
      }
      stored.push(...lines)
      if (stored.some((line) => line.text.includes("dropped"))) all.resolve()
      return Promise.resolve()
    })
    const output = new PassThrough()
    console.read(output, () => version)
    output.write(printed("1") + printed("2"))
    await back.promise
    output.write(printed("3"))
    await all.promise
    await console.close()
    expect(stored.map((line) => line.text)).toEqual(
      expect.arrayContaining(["3", expect.stringMatching(/^2 lines dropped/)])
    )
  })

  it("never holds up a process: all that it writes is read, and no more is kept than may wait", async () => {
    const console = new AppConsole(() => new Promise(() => undefined))
    const output = new PassThrough()
    const read = new Promise((resolve) => output.once("end", resolve))
    console.read(output, () => version)
    for (let n = 0; n < 5_000; n++) output.write(printed("x".repeat(500)))
    output.end()
    await read
    expect(output.readableLength).toBe(0)
  })
})
