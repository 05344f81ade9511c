import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { afterAll, expect, it } from "vitest"
import { install, openWorld } from "../RuntimeWorld.ts"

const world = openWorld()
afterAll(() => world.dispose())
const text = `const long = "x".repeat(1 << 20)
export default { fetch: () => new Response(long) }`
const bytes = `const long = new Uint8Array(1 << 20).fill(97)
export default { fetch: () => new Response(long) }`
const made = `export default { fetch: () => new Response(JSON.stringify(Array.from({ length: 5000 }, (_, n) => ({ id: n, name: "item " + n, tags: ["a", "b"] })))) }`

for (const [name, main] of Object.entries({ text, bytes, made }))
  it(`an app whose answers leave much behind is never stopped for it: ${name}`, async () => {
    const version = await world.runPromise(install({ main }, name))
    const seen: Record<string, number> = {}
    for (let n = 0; n < 300; n += 1) {
      const said = await world
        .runPromise(Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask("http://a.apps.localhost/"))))
        .then(({ body }) => bodyText(body))
        .then(
          () => "whole",
          (error: unknown) => String(error).slice(0, 150)
        )
      seen[said] = (seen[said] ?? 0) + 1
    }
    expect(seen).toEqual({ whole: 300 })
  }, 60000)
