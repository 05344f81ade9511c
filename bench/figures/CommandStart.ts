/** What the command of the built package takes to start, beside a bare Node that does nothing, and one that asks the same. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startServer, token } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { type Bench, figure, valueAtMost } from "../Figure.ts"
import { build, command, timeOf } from "../parts/BuiltPackages.ts"
import { withFolder } from "../parts/Folder.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

/** Each is over in a blink, so that there are more of them than rounds. */
const pairs = 15

const asks = `fetch(process.env.PAWL_URL + "/v1/me", { headers: { authorization: "Bearer " + process.env.PAWL_TOKEN } }).then((answer) => answer.json())`

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    say("building")
    await build()
    const server = await startServer({ data: join(folder, "data") })
    // Whatever ends this process, the server goes with it.
    const kill = () => void server.child.kill("SIGKILL")
    process.once("exit", kill)
    const home = join(folder, "home")
    mkdirSync(home)
    // No cache of compiled code that only this benchmark would have.
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      XDG_CONFIG_HOME: join(home, "config"),
      PAWL_URL: server.origin,
      PAWL_TOKEN: token
    }
    const sides = {
      bare: () => timeOf(["-e", "0"], env),
      version: () => timeOf([command, "--version"], env),
      asking: () => timeOf(["-e", asks], env),
      whoami: () => timeOf([command, "whoami"], env)
    }
    const times = await lastly(inTurn<keyof typeof sides, number>(Math.max(rounds, pairs), sides, say), async () => {
      await server.stop()
      process.off("exit", kill)
    })
    const over = (name: string, ours: ReadonlyArray<number>) =>
      figure({
        name,
        value: across(ours, times.bare, (a, b) => a - b),
        unit: "ms over the floor",
        floor: "node -e 0",
        floorValue: median(times.bare),
        ratio: across(ours, times.bare),
        target: valueAtMost(150, "ms")
      })
    const beyondAsking = across(times.whoami, times.asking, (a, b) => a - b)
    return {
      figures: [over("command-version", times.version), over("command-whoami", times.whoami)],
      notes: [
        `${times.bare.length} of each, in turn, whatever \`--rounds\` says below that.`,
        `A bare Node that asks the server the same takes ${median(times.asking).toFixed(0)} ms; \`pawl whoami\` ${beyondAsking.toFixed(0)} ms more than that.`
      ]
    }
  })
