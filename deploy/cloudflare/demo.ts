/**
 * `npm run demo:cloudflare`: the demo's acts of people on an installation in workerd on this machine, as it would be
 * deployed. It serves until it is interrupted; with `-- --exit` it ends when it has shown all.
 */
import { parseArgs } from "node:util"
import { runByPeople } from "@pawl/server/node/demo/Demo"
import * as Timeline from "@pawl/server/node/demo/Timeline"
import { install } from "./Here.ts"

const { values } = parseArgs({ options: { exit: { type: "boolean", default: false } } })

const timeline = Timeline.make(process.stdout)
const here = await install({ environment: "production" })
timeline.say(
  `Pawl is ready at ${here.origin}, in workerd: an object for each Project, a bucket, and containers of a stand-in`
)
try {
  const urls = await runByPeople({ api: here.api, timeline, model: null })
  timeline.say(["", "Live now:", ...urls.map((url) => `  ${url}`), "", "Every step did what it says."].join("\n"))
  if (!values.exit) {
    timeline.say("Ctrl-C stops it and removes its folder.")
    await new Promise<void>((resolve) => process.once("SIGINT", () => resolve()))
  }
} catch (error) {
  timeline.say(`the demo failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
} finally {
  await here.close()
}
