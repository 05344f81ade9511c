import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { commandOf, outlive, processesBelow } from "../../Processes.ts"
import { install, openWorld } from "../RuntimeWorld.ts"

const main = `export default { async fetch(request) {
  if (new URL(request.url).pathname === "/wait") await scheduler.wait(60000)
  return new Response("up")
} }`
/** More often than an app of its own doing may die. */
const deaths = LocalLimits.appCrashBurst + 1

const spawners = () => processesBelow(process.pid).filter((pid) => commandOf(pid).includes("SpawnerProcess"))

describe("an app whose process is lost because the spawner died", () => {
  it("is started again for the next visitor, as often as it happens, and nothing is held against it", async () => {
    const world = openWorld()
    try {
      const version = await world.runPromise(install({ main }, "p@lost"))
      const get = (path: string) =>
        Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask(`http://a.apps.localhost${path}`)))
      const home = Effect.flatMap(get("/"), ({ body }) => Effect.promise(() => bodyText(body)))
      for (let death = 0; death < deaths; death += 1) {
        expect(await world.runPromise(home)).toBe("up")
        const below = processesBelow(process.pid).filter(
          (pid) => spawners().includes(pid) || commandOf(pid).includes("workerd")
        )
        const waiting = world.runPromise(Effect.result(get("/wait")))
        for (const pid of spawners()) process.kill(pid, "SIGKILL")
        expect(await waiting).toMatchObject({ failure: { _tag: "AppRuntimeUnavailable" } })
        expect(outlive(below)).toEqual([])
      }
      expect(await world.runPromise(home)).toBe("up")
      expect(spawners()).toHaveLength(1)
    } finally {
      await world.dispose()
    }
    expect(spawners()).toEqual([])
  })
})
