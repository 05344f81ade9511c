/** Processes that are replaced one after the other behind a load balancer, while they are asked without a pause. */
import { Agent, request } from "node:http"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import * as Flow from "../kit/Flow.ts"
import { type LoadBalancer, startBalancer, whyNoBalancer } from "../kit/LoadBalancer.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const reason = (await PostgresServer.whyNot()) ?? whyNoBalancer()
if (reason !== null) console.warn(`SKIPPED: ${reason}`)

interface Question {
  readonly path: string
  readonly host?: string
  readonly body?: unknown
}

/** Asks through the balancer; answers what went wrong, or null. */
const ask = (port: number, agent: Agent, { body, host, path }: Question): Promise<string | null> =>
  new Promise((said) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      host: host ?? `localhost:${port}`,
      authorization: `Bearer ${token}`,
      ...(text === undefined ? {} : { "content-type": "application/json", "content-length": String(text.length) })
    }
    const method = text === undefined ? "GET" : "POST"
    const asked = request({ host: "127.0.0.1", port, path, method, headers, agent }, (answer) => {
      const { statusCode = 0 } = answer
      answer.resume()
      answer.once("error", (error) => said(`${method} ${path}: ${error.message}`))
      answer.once("end", () => said(statusCode < 400 ? null : `${method} ${path}: ${statusCode}`))
    })
    asked.once("error", (error) => said(`${method} ${path}: ${error.message}`))
    asked.end(text)
  })

describe.skipIf(reason !== null)("Processes that are replaced one after the other", () => {
  const folder = temporaryFolder()
  const servers: Array<ServerProcess> = []
  let postgres: PostgresServer.PostgresServer
  let worker: ServerProcess
  let balancer: LoadBalancer

  const start = (data: string, more: Readonly<Record<string, string>>): Promise<ServerProcess> =>
    startServer({
      data: join(folder.path, data),
      environment: { PAWL_DATABASE_URL: postgres.url, PAWL_DRAIN_DELAY: "1000", ...more }
    })

  beforeAll(async () => {
    postgres = await PostgresServer.start()
    worker = await start("data", { PAWL_ROLES: "worker" })
    for (let n = 0; n < 2; n++) servers.push(await start("data", { PAWL_ROLES: "api,router" }))
    balancer = await startBalancer(
      folder.path,
      servers.map(({ port }) => port)
    )
  })
  afterAll(async () => {
    await balancer?.stop()
    await Promise.all([...servers, worker].map((each) => each?.stop()))
    await postgres?.stop()
    folder.remove()
  })

  it("fail no request of those who read, write and visit an app, on kept connections and on new ones", async () => {
    const { api } = servers[0]!
    const project = await Flow.createProject(api, "rolling")
    const app = await Flow.liveApp(api, project.id, 0)
    const { host } = new URL(app.url)
    const failed: Array<string> = []
    let [asked, isOver] = [0, false]
    const keep = async (agent: Agent, question: (n: number) => Question) => {
      for (let n = 0; !isOver; n++) {
        const wrong = await ask(balancer.port, agent, question(n))
        asked++
        if (wrong !== null) failed.push(wrong)
      }
      agent.destroy()
    }
    const written = (n: number): Question => ({
      path: `/v1/projects/${project.id}/changes`,
      body: { clientRequestId: `change-${n}`, goal: "x", budget_usd: 1, startPlanning: false }
    })
    const visitors = [true, false].flatMap((keepAlive) => [
      keep(new Agent({ keepAlive }), () => ({ path: `/v1/projects/${project.id}` })),
      keep(new Agent({ keepAlive }), () => ({ path: "/", host })),
      ...(keepAlive ? [keep(new Agent({ keepAlive }), written)] : [])
    ])
    for (const at of [0, 1, 0, 1]) {
      const port = servers[at]!.port
      const before = asked
      expect(await servers[at]!.stop()).toBe(0)
      servers[at] = await start("data", { PAWL_ROLES: "api,router", PAWL_PORT: String(port) })
      await balancer.sees(at, "UP")
      expect(asked).toBeGreaterThan(before)
    }
    isOver = true
    await Promise.all(visitors)
    expect(failed).toEqual([])
  })

  it("go on without one that was killed, as soon as the balancer has seen it", async () => {
    const [one] = servers
    await one!.stop("SIGKILL")
    await balancer.sees(0, "DOWN")
    const agent = new Agent()
    expect(await ask(balancer.port, agent, { path: "/v1/me" })).toBeNull()
    servers[0] = await start("data", { PAWL_ROLES: "api,router", PAWL_PORT: String(one!.port) })
    await balancer.sees(0, "UP")
  })
})
