/**
 * The router's script in workerd, with the objects behind it, beside the router in Node and beside bare workerd: warm, and
 * as a crowd finds it on a cold isolate.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { install } from "../../deploy/cloudflare/Here.ts"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import { type Bench, figure, valueAtMost } from "../Figure.ts"
import * as BareWorkerd from "../parts/BareWorkerd.ts"
import { crowd, type Crowd } from "../parts/Crowd.ts"
import { withFolder } from "../parts/Folder.ts"
import * as Front from "../parts/Front.ts"
import { across, inTurn, lastly, median, worst } from "../Rounds.ts"

const connections = 16
const loadMs = Number(process.env["PAWL_BENCH_LOAD_MS"] ?? 2000)
const visitors = 1000
const message = "hello"
const source = `export default { fetch: () => new Response(${JSON.stringify(message)}) }\n`

type Side = "bare" | "node" | "workerd"
type Sides<A> = Readonly<Record<Side, (round: number) => Promise<A>>>
type Seen<A> = Readonly<Record<Side, ReadonlyArray<A>>>

/** An installation in workerd with one live app. */
const openWorkerd = async () => {
  const here = await install()
  const { id } = await Flow.createProject(here.api, "bench", Flow.source(message))
  const { host } = new URL((await Flow.liveApp(here.api, id, 0)).url)
  const [name = "", port = ""] = host.split(":")
  return { here, host: name, port: Number(port) }
}

/** A router in Node whose app has no process yet. */
const openNode = async (folder: string) => {
  const front = await Front.open(folder)
  const version = await front.install(Front.bundleOf(source, "2"))
  front.rows.list = [Front.pointerTo(version("production"))]
  return front
}

/** What a warm app was asked by many at once, and by one who asks again when it was answered. */
interface Warm {
  readonly many: Front.Loaded
  readonly one: Front.Loaded
}

const warmFigures = (runs: Seen<Warm>) => {
  const rate = (side: Side) => runs[side].map(({ many }) => many.perSecond)
  const p50 = (of: keyof Warm, side: Side) => runs[side].map((load) => load[of].p50)
  const middle = (of: keyof Warm) => ({
    value: median(p50(of, "workerd")),
    unit: "ms",
    floor: "bare workerd",
    floorValue: median(p50(of, "bare")),
    ratio: across(p50(of, "workerd"), p50(of, "bare"))
  })
  const common = { value: median(rate("workerd")), unit: "requests/s" }
  const beside = (floor: string, side: Side) => ({
    floor,
    floorValue: median(rate(side)),
    ratio: across(rate("workerd"), rate(side))
  })
  return [
    figure({ ...common, name: "workerd-router-warm", ...beside("bare workerd", "bare") }),
    figure({ ...common, name: "workerd-router-warm-node", ...beside("the router in Node", "node") }),
    figure({ ...middle("many"), name: "workerd-router-warm-p50" }),
    figure({ ...middle("one"), name: "workerd-router-alone-p50", target: valueAtMost(5, "ms") })
  ]
}

const coldFigures = (runs: Seen<Crowd>) => {
  const times = (side: Side) => runs[side].map(({ ms }) => ms)
  const common = { value: median(times("workerd")), unit: "ms" }
  const beside = (floor: string, side: Side) => ({
    floor,
    floorValue: median(times(side)),
    ratio: across(times("workerd"), times(side))
  })
  const failed = worst(runs.workerd.map((one) => one.failed))
  return [
    figure({ ...common, name: "workerd-router-cold", ...beside("bare workerd, just started", "bare") }),
    figure({
      ...common,
      name: "workerd-router-cold-node",
      ...beside("the router in Node, the app not running", "node")
    }),
    figure({
      name: "workerd-router-cold-failed",
      value: failed,
      unit: "visitors",
      floor: "visitors who stayed",
      floorValue: visitors * 0.8,
      ratio: failed / (visitors * 0.8),
      target: valueAtMost(0, "visitors")
    })
  ]
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const bare = join(folder, "bare")
    mkdirSync(bare)
    const config = BareWorkerd.writeApp(bare, source, Front.date)
    const { here, host, port } = await openWorkerd()
    const warm = async (): Promise<Seen<Warm>> => {
      const floor = await BareWorkerd.start(config)
      const node = await openNode(join(folder, "warm"))
      const load = async (at: number, name = Front.host) => ({
        many: await Front.load(at, { host: name, connections, ms: loadMs }),
        one: await Front.load(at, { host: name, connections: 1, ms: loadMs })
      })
      const sides: Sides<Warm> = {
        bare: () => load(floor.port),
        node: () => load(node.port),
        workerd: () => load(port, host)
      }
      return lastly(inTurn(rounds, sides, say), () => Promise.all([floor.stop(), node.dispose()]))
    }
    const cold: Sides<Crowd> = {
      bare: async () => {
        const floor = await BareWorkerd.start(config)
        return lastly(crowd(floor.port, Front.host, visitors), floor.stop)
      },
      node: async (round) => {
        const node = await openNode(join(folder, `cold-${round}`))
        return lastly(crowd(node.port, Front.host, visitors), node.dispose)
      },
      workerd: async () => {
        await here.killAndRestart()
        return crowd(port, host, visitors)
      }
    }
    const measured = async () => [...warmFigures(await warm()), ...coldFigures(await inTurn(rounds, cold, say))]
    return {
      figures: await lastly(measured(), here.close),
      notes: [
        `Warm: ${connections} connections for ${loadMs} ms each, and alone: one for as long. Of ${connections} each waits for the others: one workerd has one thread for all of its scripts. Cold: ${visitors} visitors at once, a fifth of whom leave before they are answered.`,
        "The scripts run in one workerd on this machine, behind the simulator's own entrance: nothing here is a figure of Cloudflare's network. For each visit the router's script asks the object of the app's Project where the host leads; the router in Node has the row in its memory."
      ]
    }
  })
