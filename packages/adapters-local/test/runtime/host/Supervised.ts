/** A supervisor of its own, for the test that kills it: it serves one app and says so, then waits. */
import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { ask } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { install, openWorld } from "../RuntimeWorld.ts"

const kinds = (["bubblewrap", "unshare", "none"] as const).filter((one) => one === process.argv[3])
const world = openWorld({ folder: process.argv[2] ?? "", isolations: kinds })
const status = await world.runPromise(
  Effect.gen(function* () {
    const version = yield* install({ main: `export default { async fetch() { return new Response("up") } }` }, "p@up")
    return (yield* Effect.flatMap(AppRuntime, (runtime) => runtime.fetch(version, ask("http://a.apps.localhost/"))))
      .status
  })
)
console.log(`serving ${status}`)
setInterval(() => undefined, 1000)
