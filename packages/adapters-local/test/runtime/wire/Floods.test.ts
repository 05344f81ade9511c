import { type AppOverLimit, AppRuntime, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { install, openWorld, type World } from "../RuntimeWorld.ts"

const main = `let visitors = 0
export default { async fetch(request) {
  const { pathname } = new URL(request.url)
  if (pathname === "/slow") { await scheduler.wait(100); return new Response("slow") }
  if (pathname === "/count") return new Response(String(++visitors))
  return new Response("served")
} }`

const open = (processes: number) => openWorld({ processes })
const visit = (world: World, version: AppVersion, path: string) =>
  world.runPromise(
    Effect.gen(function* () {
      const runtime = yield* AppRuntime
      const { body } = yield* runtime.fetch(version, ask(`http://a.apps.localhost${path}`))
      return yield* Effect.promise(() => bodyText(body))
    })
  )
const refusal = (world: World, version: AppVersion, path: string): Promise<string | AppOverLimit> =>
  visit(world, version, path).catch((error: AppOverLimit) => error)

describe("a flood of requests to one app", () => {
  const world = open(LocalLimits.appProcesses)
  afterAll(() => world.dispose())

  it("is turned away in parts, each told when to come back, and leaves a neighbour alone", async () => {
    const [hot, calm] = await world.runPromise(Effect.all([install({ main }, "p@hot"), install({ main }, "p@calm")]))
    await Promise.all([visit(world, hot, "/"), visit(world, calm, "/count")])
    const flood = Array.from({ length: 2 * LocalLimits.appQueue }, () => refusal(world, hot, "/slow"))
    for (let visits = 2; visits <= 40; visits += 1) expect(await visit(world, calm, "/count")).toBe(String(visits))
    const answers = await Promise.all(flood)
    const refused = answers.filter((answer) => typeof answer !== "string")
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.filter((answer) => answer === "slow").length).toBeGreaterThan(0)
    for (const one of refused) expect(JSON.stringify(one)).toMatch(/"limit":"busy","retryAfterSeconds":[1-9]/)
    expect(await visit(world, hot, "/")).toBe("served")
  })
})

describe("apps with many visitors", () => {
  const world = open(4)
  afterAll(() => world.dispose())

  it("leave processes for those that have none", async () => {
    const [hot, late] = await world.runPromise(Effect.all([install({ main }, "p@hot"), install({ main }, "p@late")]))
    const flood = Array.from({ length: 24 }, () => visit(world, hot, "/slow"))
    await flood[0]
    // By now the hot app has as many processes as it may have.
    await flood[8]
    expect(await visit(world, late, "/")).toBe("served")
    expect(await Promise.all(flood)).toEqual(new Array(24).fill("slow"))
  })
})
