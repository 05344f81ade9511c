import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { rounds, seed as chance } from "@pawl/testing/Depth"
import { says } from "@pawl/testing/provider/Script"
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import { outlive, processesNaming } from "../../../../adapters-local/test/Processes.ts"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import * as TurnKills from "../../crash/TurnKills.ts"
import * as Flow from "../kit/Flow.ts"
import { environmentOf } from "../kit/ScriptedTeam.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import { goalToLive } from "./GoalToLive.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

describe.skipIf(reason !== null)("Goals on several processes over one Postgres, with a scripted model", () => {
  const folder = temporaryFolder()
  const processes: Array<ServerProcess> = []
  const workers = new Set<ServerProcess>()
  let postgres: PostgresServer.PostgresServer
  let provider: Provider.ScriptedProvider
  let front: ServerProcess

  const started = async (roles: string): Promise<ServerProcess> => {
    const environment = { PAWL_DATABASE_URL: postgres.url, PAWL_ROLES: roles, ...environmentOf(provider) }
    const server = await startServer({ data: folder.path, environment })
    processes.push(server)
    return server
  }
  const worker = async (): Promise<void> => void workers.add(await started("worker"))

  beforeAll(async () => {
    postgres = await PostgresServer.start()
    provider = await Provider.open(() => says("nothing yet"))
    ;[front] = await Promise.all([started("api,router"), worker(), worker()])
  })
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()))
    // Nor do those that were killed leave anything running.
    const left = outlive(processesNaming(folder.path))
    if (left.length > 0) throw new Error(`these are left: ${left.join(", ")}`)
    await provider.close()
    await postgres.stop()
    folder.remove()
  })

  it("go live: whichever worker takes a Task, each call is paid once", () =>
    goalToLive(front.api, provider, "greetings"))

  // In a quick run none: what is killed is taken over only when its lease has ended.
  it.each([rounds({ quick: 0, deep: 2, long: 4 })].filter((runs) => runs > 0))(
    "lose no turn when workers are killed: others ask again at most one call of each agent at work for each kill, keep no money back, and make the same files",
    { timeout: 1_200_000 },
    async (runs) => {
      let tree: string | null = null
      let kills = 0
      for (let run = 1; run <= runs; run++) {
        const reborn: Array<Promise<void>> = []
        const kill = () => {
          const [victim] = workers
          if (victim === undefined) return false
          workers.delete(victim)
          reborn.push(worker())
          return victim.child.kill("SIGKILL")
        }
        const { id } = await Flow.createProject(front.api, `killed-${run}`)
        await Flow.liveApp(front.api, id, 0)
        const asked = TurnKills.from(provider)
        const most = 5
        const killed = TurnKills.killedBy(provider, { seed: chance * runs + run, atOnce: 2, most, kill })
        const changeId = await TurnKills.openGoal(front.api, id)
        await TurnKills.afterLeases(front.api, changeId, most)
        tree = await TurnKills.judge(front.api, {
          changeId,
          provider: asked,
          prices: { input: 1, output: 2 },
          mostRepeats: 2 * killed(),
          tree
        })
        kills += killed()
        await Promise.all(reborn)
      }
      console.log(`${kills} kills in ${runs} runs on Postgres`)
      expect(kills).toBeGreaterThanOrEqual(runs)
    }
  )
})
