/**
 * Mixed load over many apps while releases, previews and removals go on. The form that most runs have is short;
 * `npm run test:long -- soak` is the long one, and prints its counts. `PAWL_SOAK_MINUTES` and `PAWL_SOAK_APPS` say others.
 */
import { depth, rounds } from "@pawl/testing/Depth"
import { readdirSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { nameOf, processesBelow } from "../../../adapters-local/test/Processes.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../e2e/kit/ServerProcess.ts"
import { inspectable, settledBytes } from "../e2e/kit/ServerMemory.ts"
import { attacker, changer, openApp, visitor } from "./SoakClients.ts"
import { SoakWorld } from "./SoakWorld.ts"

const apps = Number(process.env["PAWL_SOAK_APPS"] ?? rounds({ quick: 4, deep: 8, long: 50 }))
const soakMs = Number(process.env["PAWL_SOAK_MINUTES"] ?? rounds({ quick: 0.15, deep: 0.25, long: 10 })) * 60_000
const visitors = 6
const changers = 2
const MiB = 1024 * 1024

/** Handles that the server's process holds, and the processes that hold their other ends: apps, which its spawner has, and git. */
const handles = (server: ServerProcess) => ({
  open: readdirSync(`/proc/${server.child.pid}/fd`).length,
  processes: processesBelow(server.child.pid!).filter((pid) => ["workerd", "git"].includes(nameOf(pid))).length
})
/** What one such process may keep open in the server: sockets of requests and of its streams, and files of the watchdog. */
const handlesOfOne = 16
/** What comes and goes beside them: clients and files. */
const otherHandles = 32

/** A failure with what the log of its app says of limits. */
const explained = async (server: ServerProcess, world: SoakWorld, failure: string): Promise<string> => {
  const app = world.apps.find(({ slug }) => failure.startsWith(`${slug}/`))
  if (app === undefined) return failure
  const { items } = await server.api.get<{ items: ReadonlyArray<{ source: string; text: string }> }>(
    `/v1/projects/${app.projectId}/app/logs`
  )
  return [failure, ...items.filter(({ source }) => source !== "console").map(({ text }) => text)].join("\n")
}

describe("a server under mixed load", () => {
  const folder = temporaryFolder()
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({
      data: folder.path,
      environment: { ...inspectable, PAWL_APP_BUILDS_PER_DAY: "1000000", PAWL_SANDBOX_MINUTES_PER_MONTH: "1000000" }
    })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it(
    "never answers a wrong byte or a 5xx for a healthy app, and holds no more memory and handles at the end",
    async () => {
      const world = new SoakWorld()
      for (let number = 0; number < apps; number += 1) world.apps.push(await openApp(server, `soak-${number}`))
      const bad = await openApp(server, "attacker")
      const own = (of: number) => world.apps.filter((_, number) => number % changers === of)
      const clients = [
        ...Array.from({ length: visitors }, () => visitor(server, world)),
        ...Array.from({ length: changers }, (_, of) => changer(server, world, own(of))),
        attacker(server, world, bad.url)
      ]
      await pause(soakMs / 3)
      const early = { bytes: await settledBytes(server), ...handles(server) }
      await pause((2 * soakMs) / 3)
      // On a slow machine a short soak goes on until everything has happened once.
      while (world.failures.length === 0 && Object.values(world.counts).includes(0)) await pause(100)
      world.over = true
      await Promise.all(clients)
      const late = { bytes: await settledBytes(server), ...handles(server) }

      expect(await Promise.all(world.failures.map((failure) => explained(server, world, failure)))).toEqual([])
      for (const [what, count] of Object.entries(world.counts)) expect([what, count > 0]).toEqual([what, true])
      expect(late.bytes - early.bytes).toBeLessThan(64 * MiB)
      expect(late.open - early.open).toBeLessThan(
        otherHandles + handlesOfOne * Math.max(0, late.processes - early.processes)
      )
      if (depth === "long" || process.env["PAWL_SOAK_MINUTES"] !== undefined)
        console.log(JSON.stringify({ minutes: soakMs / 60_000, apps, ...world.counts, early, late }))
    },
    soakMs + 10 * 60_000
  )
})
