/**
 * A goal is worked by agents whose model is a scripted provider over HTTP, while the server is killed with SIGKILL again
 * and again: as a call arrives, as its answer is sent, a moment later, and at every named place of a turn.
 */
import { cpSync } from "node:fs"
import { join } from "node:path"
import { rounds, seed as chance, slice } from "@pawl/testing/Depth"
import * as ScriptedProvider from "@pawl/testing/provider/ScriptedProvider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { outlive, processesNaming } from "../../../adapters-local/test/Processes.ts"
import * as Flow from "../e2e/kit/Flow.ts"
import { type ServerProcess, startServer } from "../e2e/kit/ServerProcess.ts"
import { crashing, newFolder, passedIn, removeFolders } from "./Crashing.ts"
import { type AtOnce, candidateOf, environmentOf, judge, killedBy, openGoal, script } from "./TurnKills.ts"

describe("A server that is killed while agents work", () => {
  /** A folder to begin with, what a run without a kill made, and which places it passed. */
  let ground = { data: "", projectId: "", tree: "", places: [] as ReadonlyArray<string> }

  beforeAll(async () => {
    const base = newFolder()
    const [data, passed] = [join(base, "data"), join(base, "places")]
    const provider = await ScriptedProvider.open(script(1))
    const server = await noted(crashing(data, { ...environmentOf(provider), PAWL_CRASH_RECORD: passed }))
    const [{ id: projectId }, whole] = [
      await Flow.createProject(server.api, "turns"),
      await Flow.createProject(server.api, "whole")
    ]
    for (const id of [projectId, whole.id]) await Flow.liveApp(server.api, id, 0)
    const before = passedIn(passed).length
    const changeId = await openGoal(server.api, whole.id)
    const tree = await judge(server.api, { changeId, provider, mostRepeats: 0, tree: null })
    const code = await server.stop()
    if (code !== 0) throw new Error(`the server ended with ${code}`)
    await provider.close()
    ground = { data, projectId, tree, places: passedIn(passed).slice(before) }
  })
  const servers: Array<ServerProcess> = []
  const noted = async (starting: Promise<ServerProcess>): Promise<ServerProcess> => {
    const server = await starting
    servers.push(server)
    return server
  }
  // A test that failed leaves none behind.
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop("SIGKILL")))
    removeFolders()
  })

  const copied = (): string => {
    const data = join(newFolder(), "data")
    cpSync(ground.data, data, { recursive: true })
    return data
  }

  /** Works the goal, killing the server at drawn moments; answers how often it was killed. */
  const worked = async (seed: number, atOnce: AtOnce, most: number) => {
    const provider = await ScriptedProvider.open(script(atOnce))
    const data = copied()
    let server: ServerProcess | null = null
    const kill = () => {
      const victim = server
      server = null
      return victim?.child.kill("SIGKILL") === true
    }
    const kills = killedBy(provider, { seed, atOnce, most, kill })
    try {
      let changeId: string | null = null
      for (;;) {
        const running = await noted(startServer({ data, environment: environmentOf(provider) }))
        changeId ??= await openGoal(running.api, ground.projectId)
        server = running
        const isDone = candidateOf(running.api, changeId).then(
          () => true,
          () => false
        )
        if ((await Promise.race([isDone, running.ended.then(() => false)])) && server !== null) {
          server = null
          const mostRepeats = kills() * atOnce
          await judge(running.api, { changeId, provider, mostRepeats, tree: ground.tree })
          expect(await running.stop()).toBe(0)
          expect(outlive(processesNaming(data))).toEqual([])
          return kills()
        }
        expect(await running.ended).toBe("SIGKILL")
      }
    } finally {
      await provider.close()
    }
  }

  it(
    "wherever chance kills it, loses no turn, asks again at most one call of each agent at work for each kill (of one agent: no more calls than kills), keeps no money back, makes the same files and leaves no process behind",
    { timeout: 1_200_000 },
    async () => {
      const [leastRuns, leastKills] = [
        rounds({ quick: 1, deep: 3, long: 12 }),
        rounds({ quick: 1, deep: 20, long: 200 })
      ]
      const mostOfEach = rounds({ quick: 2, deep: 10, long: 20 })
      let [runs, kills] = [0, 0]
      while (runs < leastRuns || (kills < leastKills && runs < 2 * leastRuns)) {
        runs += 1
        kills += await worked(chance * leastRuns + runs, runs % 3 === 0 ? 2 : 1, mostOfEach)
      }
      console.log(`${kills} kills in ${runs} runs`)
      expect(kills).toBeGreaterThanOrEqual(leastKills)
    }
  )

  it("does so at every named place of a turn", { timeout: 1_200_000 }, async () => {
    const places = [...new Set(ground.places)].filter((name) =>
      /Spending|Tasks\.|Compiling|agent\.wake|change\.dispatch|ObjectStore/.test(name)
    )
    expect(places.some((name) => name.startsWith("Ledger.commit(Spending.reserve)"))).toBe(true)
    expect(places.some((name) => name.startsWith("Ledger.commit(Spending.settle)"))).toBe(true)
    for (const place of slice(places, { quick: 1 })) {
      const provider = await ScriptedProvider.open(script(1))
      const data = copied()
      const victim = await noted(crashing(data, { ...environmentOf(provider), PAWL_CRASH_AT: place }))
      const opened = await openGoal(victim.api, ground.projectId).catch(() => null)
      expect([place, await victim.ended]).toEqual([place, "SIGKILL"])
      const next = await noted(crashing(data, environmentOf(provider)))
      const changeId = opened ?? (await openGoal(next.api, ground.projectId))
      await judge(next.api, { changeId, provider, mostRepeats: 1, tree: ground.tree })
      expect(await next.stop()).toBe(0)
      expect(outlive(processesNaming(data))).toEqual([])
      await provider.close()
    }
    console.log(`${places.length} named places`)
  })
})
