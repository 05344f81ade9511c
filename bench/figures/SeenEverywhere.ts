/** How soon every router of an installation shows that an app was released, or removed. */
import { RouterLimits } from "@pawl/router/RouterLimits"
import { setTimeout as pause } from "node:timers/promises"
import { type Bench, figure, valueAtMost } from "../Figure.ts"
import { lastly, median, worst } from "../Rounds.ts"
import * as PostgresServer from "../../packages/adapters-pg/test/PostgresServer.ts"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import {
  type ServerProcess,
  startServer,
  temporaryFolder,
  token
} from "../../packages/server/test/e2e/kit/ServerProcess.ts"

const everyMs = 2

/** When each of some servers first shows what is looked for, by `performance.now`. */
const shown = (
  servers: ReadonlyArray<ServerProcess>,
  url: string,
  isIt: (page: { readonly status: number; readonly text: string }) => boolean
): Promise<ReadonlyArray<number>> =>
  Promise.all(
    servers.map(async ({ api }) => {
      const deadline = performance.now() + 60_000
      while (!isIt(await api.page(url))) {
        if (performance.now() > deadline) throw new Error(`${url} never came to show it`)
        await pause(everyMs)
      }
      return performance.now()
    })
  )

const release = async (all: ReadonlyArray<ServerProcess>, slug: string) => {
  const { api } = all[0]!
  const project = await Flow.createProject(api, slug)
  const { url } = await Flow.liveApp(api, project.id, 0)
  await shown(all, url, ({ text }) => text === "one")
  const change = await Flow.openChange(api, project.id, "first")
  await Flow.edit(api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
  const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
  const seen = shown(all, url, ({ text }) => text === "two")
  await Flow.promote(api, candidate.id)
  const [first = 0, ...others] = await seen
  await Flow.released(api, project.id, 1)
  return { project, url, ms: Math.max(0, Math.max(...others) - first) }
}

const remove = async (all: ReadonlyArray<ServerProcess>, projectId: string, url: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${all[0]!.origin}/v1/projects/${projectId}/app`, { method: "DELETE", headers })
  const began = performance.now()
  return Math.max(...(await shown(all, url, ({ status }) => status === 410))) - began
}

export const bench: Bench = async ({ rounds, say }) => {
  const folder = temporaryFolder()
  const postgres = await PostgresServer.start()
  const start = (roles: string) =>
    startServer({
      data: folder.path,
      environment: { PAWL_DATABASE_URL: postgres.url, PAWL_ROLES: roles, PAWL_APP_BUILDS_PER_DAY: "100000" }
    })
  const all = [await start("api,router,worker"), await start("router"), await start("router")]
  const times: { readonly release: Array<number>; readonly removal: Array<number> } = { release: [], removal: [] }
  const measure = async () => {
    for (let round = 0; round <= rounds; round += 1) {
      say(`round ${round} of ${rounds}`)
      const { ms, project, url } = await release(all, `seen-${round}`)
      times.release.push(ms)
      times.removal.push(await remove(all, project.id, url))
    }
  }
  await lastly(measure(), async () => {
    await Promise.all(all.map((server) => server.stop()))
    await postgres.stop()
    folder.remove()
  })
  const told = (name: string, of: ReadonlyArray<number>) =>
    figure({
      name,
      value: worst(of),
      unit: "ms",
      floor: "a router that was cut off",
      floorValue: RouterLimits.pointerCacheMs,
      ratio: worst(of) / RouterLimits.pointerCacheMs,
      target: valueAtMost(50, "ms")
    })
  return {
    figures: [told("release-seen-everywhere", times.release), told("removal-seen-everywhere", times.removal)],
    notes: [
      `Medians: ${median(times.release).toFixed(0)} ms for a release, ${median(times.removal).toFixed(0)} ms for a removal.`
    ]
  }
}
