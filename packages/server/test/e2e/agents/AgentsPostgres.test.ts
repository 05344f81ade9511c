import { afterAll, beforeAll, describe, it } from "vitest"
import { says } from "@pawl/testing/provider/Script"
import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { environmentOf } from "../kit/ScriptedTeam.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import { goalToLive } from "./GoalToLive.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

describe.skipIf(reason !== null)("Goals on several processes over one Postgres, with a scripted model", () => {
  const folder = temporaryFolder()
  const processes: Array<ServerProcess> = []
  let postgres: PostgresServer.PostgresServer
  let provider: Provider.ScriptedProvider
  let front: ServerProcess

  beforeAll(async () => {
    postgres = await PostgresServer.start()
    provider = await Provider.open(() => says("nothing yet"))
    const start = (roles: string) =>
      startServer({
        data: folder.path,
        environment: { PAWL_DATABASE_URL: postgres.url, PAWL_ROLES: roles, ...environmentOf(provider) }
      })
    processes.push(...(await Promise.all([start("api,router"), start("worker"), start("worker")])))
    front = processes[0]!
  })
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await provider.close()
    await postgres.stop()
    folder.remove()
  })

  it("go live: whichever worker takes a Task, each call is paid once", () =>
    goalToLive(front.api, provider, "greetings"))
})
