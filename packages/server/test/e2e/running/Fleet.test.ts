/** Which server processes of an installation are told of, and when they are not any more. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { pawl } from "../kit/Command.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const reason = await PostgresServer.whyNot()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

/** What the doctor says of processes, in their order. */
const told = async (environment: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> => {
  const { output } = await pawl(["doctor"], environment)
  return output.split("\n").filter((line) => line.includes("Server process"))
}

const line = (server: ServerProcess, roles: string, state = "ok") =>
  expect.stringMatching(new RegExp(`^${state} +Server process +\\S+-${server.child.pid}-\\w{8}: ${roles}, version `))

describe.skipIf(reason !== null)("Server processes on one Postgres", () => {
  const folder = temporaryFolder()
  const running: Array<ServerProcess> = []
  let postgres: PostgresServer.PostgresServer
  let environment: Readonly<Record<string, string>>

  const start = async (roles: string) => {
    const server = await startServer({ data: folder.path, environment: { ...environment, PAWL_ROLES: roles } })
    running.push(server)
    return server
  }

  beforeAll(async () => {
    postgres = await PostgresServer.start()
    environment = { PAWL_DATABASE_URL: postgres.url, PAWL_DATA: folder.path }
  })
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop()))
    await postgres.stop()
    folder.remove()
  })

  it("are told with what they do while they run, in the order of their starts; one that was stopped is not", async () => {
    const front = await start("api,router")
    const worker = await start("worker")
    expect(await told(environment)).toEqual([line(front, "api, router"), line(worker, "worker")])
    expect(await worker.stop()).toBe(0)
    expect(await told(environment)).toEqual([line(front, "api, router")])
  })

  it("are told as silent when they were killed a while ago, and are forgotten after an hour", async () => {
    const [front] = running
    const killed = await start("worker")
    expect(await killed.stop("SIGKILL")).toBe("SIGKILL")
    const ago = (ms: number) =>
      PostgresServer.administer(
        postgres.url,
        `UPDATE pawl.pawl_process SET seen_at = seen_at - ${ms} WHERE id LIKE '%-${killed.child.pid}-%'`
      )
    await ago(60_001)
    const silent = line(killed, "worker", "weak")
    expect(await told(environment)).toEqual([line(front!, "api, router"), silent])
    await ago(3_600_000)
    const next = await start("worker")
    expect(await told(environment)).toEqual([line(front!, "api, router"), line(next, "worker")])
  })
})

describe("The server process on a data folder", () => {
  it("is told while it runs, and after a kill it is the next one alone", async () => {
    const folder = temporaryFolder()
    try {
      const environment = { PAWL_DATA: folder.path }
      expect(await told(environment)).toEqual([])
      const first = await startServer({ data: folder.path })
      expect(await told(environment)).toEqual([line(first, "api, router, worker")])
      await first.stop("SIGKILL")
      const second = await startServer({ data: folder.path })
      expect(await told(environment)).toEqual([line(second, "api, router, worker")])
      expect(await second.stop()).toBe(0)
      expect(await told(environment)).toEqual([expect.stringMatching(/none runs$/)])
    } finally {
      folder.remove()
    }
  })
})
