import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AppData } from "@pawl/core/app/AppData"
import { AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { describeRuntimeIsolation, type RuntimeIsolation } from "../../../src/runtime/host/RuntimeIsolation.ts"
import { type Escape, type Prey } from "./Escape.ts"
import { escapes, hostileApp } from "./Escapes.ts"
import { answers, starts, tamperings } from "./EscapesWithin.ts"
import { type AppSource, install, openWorld, project } from "../RuntimeWorld.ts"

const other = "proj_00000000-0000-4000-8000-000000000009"
const strongest = await Effect.runPromise(describeRuntimeIsolation)

/** What the machine has that an app would want, and whether anyone came for it. */
const bait = async () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-tests-"))
  const secret = `secret-${randomUUID()}`
  writeFileSync(join(folder, "secret"), secret, { mode: 0o644 })
  let visits = 0
  const server = createServer((_request, response) => void response.end(secret)).on("connection", () => (visits += 1))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const prey: Prey = {
    port: typeof address === "object" && address !== null ? address.port : 0,
    secretFile: join(folder, "secret"),
    supervisorSocket: "/run/supervisor.sock",
    appSocket: "/run/app.sock",
    neighbour: "neighbour.apps.localhost",
    neighbourProject: other
  }
  const close = () => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { prey, secret, visits: () => visits, close }
}

const escaping = (isolation: RuntimeIsolation["name"]) => {
  const world = openWorld({ isolations: [isolation] })
  let caught: Awaited<ReturnType<typeof bait>>
  let shared: AppVersion
  const app = (name: string, source: AppSource) => world.runPromise(install(source, name))
  /** Status and body, or the failure's name and reason. */
  const visit = (version: AppVersion, path: string) =>
    world.runPromise(
      Effect.gen(function* () {
        const response = yield* Effect.flatMap(AppRuntime, (runtime) =>
          runtime.fetch(version, ask(`http://app.apps.localhost${path}`))
        )
        const text = yield* Effect.tryPromise(() => bodyText(response.body))
        return `${response.status} ${text} |${response.headers
          .map(([name]) => name.toLowerCase())
          .filter((name) => name.startsWith("x-pawl") || name === "set-cookie")
          .join()}`
      }).pipe(
        Effect.result,
        Effect.map(Result.match({ onFailure: (failure) => JSON.stringify(failure), onSuccess: (text) => text })),
        Effect.map((text) => (text.startsWith('{"') ? `${/"_tag":"(\w+)"/.exec(text)?.[1]} ${text}` : text))
      )
    )

  beforeAll(async () => {
    caught = await bait()
    shared = await app("p@escapes", { main: hostileApp(escapes, caught.prey), flags: ["nodejs_compat"] })
    const neighbour = await app("p@neighbour", {
      main: `export default { fetch: () => new Response("neighbour") }`,
      assets: { "secret.txt": `secret of ${caught.secret}` }
    })
    expect(await visit(neighbour, "/")).toBe("200 neighbour |")
    await world.runPromise(
      Effect.flatMap(AppData, (data) => data.put({ project: other, channel: "production" }, "secret", caught.secret))
    )
  })
  afterAll(async () => {
    caught.close()
    await world.dispose()
  })

  const judge = ({ holds }: Escape, said: string) => {
    expect(said).not.toContain(caught.secret)
    const answer = /^200 (.*) \|$/s.exec(said)?.[1] ?? said
    if (holds === undefined || /^(denied: |AppThrew |AppOverLimit )/.test(answer))
      expect(answer).toMatch(/^(denied: |AppThrew |AppOverLimit )/)
    else expect(answer).toMatch(holds)
    expect(caught.visits()).toBe(0)
  }

  it.each(escapes.map((escape, number) => [escape.title, escape, number] as const))("%s", async (_, escape, number) =>
    judge(escape, await visit(shared, `/${number}`))
  )

  it("listens on no port of the machine", async () => {
    const listener = escapes.findIndex(({ title }) => title === "listens by node:net")
    await visit(shared, `/${listener}`)
    const reached = await new Promise((resolve) =>
      connect(caught.prey.port + 1, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false))
    )
    expect(reached).toBe(false)
  })

  it.each(tamperings.map((one) => [one.title, one] as const))("%s, and hurts itself alone", async (title, one) => {
    const look: Escape = {
      title: "look",
      code: "return [(env.DATA ? await env.DATA.get('none').catch((e) => 'refused') : 'refused'), seen]"
    }
    const version = await app(`p@tamper ${title}`, {
      main: hostileApp([one, look], caught.prey),
      flags: ["nodejs_compat"]
    })
    expect(await visit(version, "/0")).toMatch(/^(200 ("patched"|denied: .*)|AppThrew .*)/s)
    for (const again of [await visit(version, "/1"), await visit(version, "/1")]) {
      expect(again).toMatch(/^(200 |AppThrew |AppOverLimit )/)
      expect(again).not.toContain(caught.secret)
    }
  })

  it.each(answers.map((one) => [one.title, one] as const))(
    "%s, and the next visitor gets an honest answer",
    async (title, { code, holds }) => {
      const main = `export default { async fetch(request) { if (new URL(request.url).pathname === "/next") return new Response("next"); ${code} } }`
      const version = await app(`p@answer ${title}`, { main })
      expect(await visit(version, "/")).toMatch(holds ?? /./)
      for (let visits = 0; visits < 3; visits += 1) expect(await visit(version, "/next")).toBe("200 next |")
    }
  )

  it.each(starts.map((one) => [one.title, one] as const))("%s, and does not start", async (title, { code }) => {
    const said = await visit(await app(`p@start ${title}`, { main: code }), "/")
    expect(said).toMatch(/^(AppThrew|BundleUnusable) /)
    expect(said).not.toMatch(/\/work\/|\/host\/|\.sock|root:x:/)
  })

  it("leaves the neighbour's data and the machine's file as they were", async () => {
    const read = Effect.flatMap(AppData, (store) => store.get({ project: other, channel: "production" }, "secret"))
    expect(await world.runPromise(read)).toBe(caught.secret)
    expect(readFileSync(caught.prey.secretFile, "utf8")).toBe(caught.secret)
    const own = Effect.flatMap(AppData, (store) => store.list({ project, channel: "production" }, {}))
    expect((await world.runPromise(own)).keys).toEqual([])
    expect(caught.visits()).toBe(0)
  })
}

describe.skipIf(strongest?.name !== "bubblewrap")(
  "an app in bubblewrap does not get out when it (needs bubblewrap)",
  () => {
    escaping("bubblewrap")
  }
)
describe("an app in unshare does not get out when it", () => {
  escaping("unshare")
})
describe("an app with nothing but V8 around it does not get out when it", () => {
  escaping("none")
})
