/** What an innocent app notices of three attackers beside it, and how soon a visitor of a looping app is answered. */
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { Effect, Result } from "effect"
import { type Bench, figure, ratioAtMost, valueAtMost } from "../Figure.ts"
import * as Apps from "../parts/Apps.ts"
import { withFolder } from "../parts/Folder.ts"
import * as Front from "../parts/Front.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const connections = 4
const loadMs = Number(process.env["PAWL_BENCH_LOAD_MS"] ?? 2000)
const loops = 20
/** Serves, loops or hogs, as it is asked. */
const anyway = `const kept = []
export default { async fetch(request) {
  const { pathname } = new URL(request.url)
  if (pathname === "/loop") for (;;) ;
  if (pathname === "/hog") for (;;) { kept.push(new Uint8Array(1 << 20).fill(1)); await scheduler.wait(0) }
  return new Response("hello", { headers: { "content-type": "text/plain" } })
} }\n`
/** Dies at every start. */
const stillborn = `for (;;) ;\nexport default { fetch: () => new Response("never") }\n`

const load = (port: number) => Front.load(port, { connections, ms: loadMs }, true)

const openHost = async (folder: string) => {
  const front = await Front.open(folder)
  const { dispose, port, runtime } = front
  const [anyVersion, deadVersion] = [
    await front.install(Front.bundleOf(anyway, "3")),
    await front.install(Front.bundleOf(stillborn, "4"))
  ]
  front.rows.list = [Front.pointerTo(anyVersion("production"))]
  /** What came of one request: `ok`, or the bound that was broken. */
  const ask = (version: AppVersion, path: string) =>
    runtime.runPromise(
      Effect.result(Apps.get(version, path)).pipe(
        Effect.map(
          Result.match({
            onFailure: (refused) => ("limit" in refused ? refused.limit : refused._tag),
            onSuccess: () => "ok"
          })
        )
      )
    )
  return { port, ask, anyVersion, deadVersion, dispose }
}

type Host = Awaited<ReturnType<typeof openHost>>

/** Three apps that nobody has seen before, each asked again as soon as it was answered, until `stopped`. */
const attack = ({ anyVersion, ask, deadVersion }: Host, round: number) => {
  let stopped = false
  const kills = { count: 0 }
  const again = async (version: AppVersion, path: string) => {
    while (!stopped) {
      const end = await ask(version, path)
      if (end === "cpu" || end === "memory") kills.count += 1
      await pause(10)
    }
  }
  const attackers = [
    again(anyVersion(`looper-${round}`), "/loop"),
    again(anyVersion(`hog-${round}`), "/hog"),
    again(deadVersion(`stillborn-${round}`), "/")
  ]
  const stop = async () => {
    stopped = true
    await Promise.all(attackers)
  }
  return { kills, stop }
}

/** How long a visitor of a warm app that begins to loop waits for its 503. */
const loopMs = async ({ anyVersion, ask }: Host, name: string): Promise<number> => {
  const version = anyVersion(`warm-${name}`)
  for (let visits = 0; visits < 3; visits += 1) await ask(version, "/")
  const began = performance.now()
  const end = await ask(version, "/loop")
  const ms = performance.now() - began
  if (end !== "cpu") throw new Error(`a loop ended as ${end}`)
  return ms
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const hosts = await openHost(join(folder, "run"))
    let kills = 0
    const beside = async (round: number) => {
      const { kills: counted, stop } = attack(hosts, round)
      const loaded = await load(hosts.port)
      await stop()
      kills += counted.count
      return loaded
    }
    const measure = async () => {
      const runs = await inTurn<"alone" | "beside", Front.Loaded>(
        rounds,
        { alone: () => load(hosts.port), beside },
        say
      )
      const waits: Array<number> = []
      for (let count = 0; count < loops; count += 1) waits.push(await loopMs(hosts, String(count)))
      return { runs, waits: waits.sort((a, b) => a - b) }
    }
    const { runs, waits } = await lastly(measure(), hosts.dispose)
    const p99 = (side: "alone" | "beside") => runs[side].map((one) => one.p99)
    const all = [...runs.alone, ...runs.beside]
    const failures = all.reduce((sum, one) => sum + one.failures, 0)
    const served = all.reduce((sum, { perSecond }) => sum + perSecond * (loadMs / 1000), 0)
    const budget = { unit: "ms", floor: "the CPU time that a request may take", floorValue: LocalLimits.appCpuMs }
    const waited = (name: string, value: number) =>
      figure({ ...budget, name, value, ratio: value / LocalLimits.appCpuMs, target: valueAtMost(100, "ms") })
    return {
      figures: [
        figure({
          name: "innocent-p99-beside-attackers",
          value: median(p99("beside")),
          unit: "ms",
          floor: "the same app alone",
          floorValue: median(p99("alone")),
          ratio: across(p99("beside"), p99("alone")),
          target: ratioAtMost(2)
        }),
        figure({
          name: "innocent-refusals",
          value: failures,
          unit: "requests",
          floor: "requests that were served",
          floorValue: Math.round(served),
          ratio: failures / served,
          target: valueAtMost(0, "requests")
        }),
        waited("loop-to-503-median", median(waits)),
        waited("loop-to-503-p99", waits[Math.floor((waits.length - 1) * 0.99)] ?? 0)
      ],
      notes: [
        `${connections} connections for ${loadMs} ms each; client, front, app and attackers share the machine's cores.`,
        `${kills} processes of attackers were killed in all rounds; each round has new attackers, which have not been made to wait yet.`,
        `${loops} loops, each in an app of its own.`
      ]
    }
  })
