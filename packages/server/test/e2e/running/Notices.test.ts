/** Server processes whose notices go over NATS: nothing that they do hangs on it. */
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as NatsServer from "../../../../adapters-nats/test/NatsServer.ts"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const missing = NatsServer.whyNot() ?? (await PostgresServer.whyNot())
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

describe.skipIf(missing !== null)("Processes on one Postgres with notices over NATS", () => {
  const folder = temporaryFolder()
  const running: Array<ServerProcess> = []
  let postgres: PostgresServer.PostgresServer
  let nats: NatsServer.NatsServer
  let front: ServerProcess
  let worker: ServerProcess
  let projectId: string
  let stranger: NatsConnection

  const password = "s3cr3t-of-nats"
  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    PAWL_DATABASE_URL: postgres.url,
    PAWL_NOTICES: `nats://pawl:${password}@${nats.at}`,
    ...more
  })
  const start = async (roles: string) => {
    const started = await startServer({ data: folder.path, environment: environment({ PAWL_ROLES: roles }) })
    running.push(started)
    return started
  }
  const readiness = async ({ origin }: ServerProcess) => {
    const answer = await fetch(`${origin}/health/ready`)
    return [answer.status, await answer.json()]
  }
  const well = JSON.stringify([200, { status: "ready" }])
  const without = JSON.stringify([200, { status: "ready", without: ["notices"] }])
  const untilAll = (state: string) =>
    Promise.all(
      [front, worker].map((each) =>
        Flow.until(
          () => readiness(each),
          (now) => JSON.stringify(now) === state
        )
      )
    )
  /** Takes an edit live on its public host. */
  const edit = async (name: string, generation: number) => {
    const { api } = front
    const change = await Flow.openChange(api, projectId, name)
    await Flow.edit(api, change, { "src/index.js": Flow.source(name)["src/index.js"] ?? "" })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    expect(await Flow.promote(api, candidate.id)).toMatchObject({ outcome: "promoted", generation })
    const { url } = await Flow.liveApp(api, projectId, generation)
    expect((await api.page(url)).text).toBe(name)
  }

  beforeAll(async () => {
    const users = `authorization { users = [{ user: pawl, password: "${password}" }, { user: ear, password: "ear" }] }`
    ;[postgres, nats] = await Promise.all([PostgresServer.start(), NatsServer.start(users)])
    ;[front, worker] = await Promise.all([start("api,router"), start("worker")])
  })
  afterAll(async () => {
    await stranger?.close()
    await Promise.all(running.map((each) => each.stop()))
    await Promise.all([postgres?.stop(), nats?.stop()])
    folder.remove()
  })

  it("take an edit live, and tell each other of work, of events and of the pointer that moved", async () => {
    stranger = await connect({ servers: nats.at, user: "ear", pass: "ear" })
    const [subjects, topics, senders] = [new Set<string>(), new Set<string>(), new Set<string>()]
    stranger.subscribe("pawl.>", {
      callback: (_, message) => {
        const [sender = "", ...said] = message.string().split("\n")
        subjects.add(message.subject)
        senders.add(sender)
        for (const topic of said) topics.add(topic)
      }
    })
    await stranger.flush()
    projectId = (await Flow.createProject(front.api, "over-nats")).id
    await Flow.liveApp(front.api, projectId, 0)
    await edit("two", 1)
    expect(await Promise.all([front, worker].map(readiness))).toEqual([JSON.parse(well), JSON.parse(well)])
    await stranger.flush()
    expect([...subjects]).toEqual([expect.stringMatching(/^pawl\.notices\.[0-9a-f]{32}$/)])
    expect(senders.size).toBe(2)
    expect([...topics]).toEqual(expect.arrayContaining(["work", `events:${projectId}`, "pointer:over-nats"]))
  })

  it("go on without it, say so, and use it again when it is back", async () => {
    await nats.kill()
    await untilAll(without)
    await edit("three", 2)
    await nats.open()
    await untilAll(well)
    await edit("four", 3)
  })

  it("start without it, and say so in the log, without its password", async () => {
    await worker.stop()
    await nats.kill()
    worker = await start("worker")
    expect(await readiness(worker)).toEqual(JSON.parse(without))
    expect(worker.log()).toContain(`notices: NATS at nats://${nats.at} is not reached: nobody listens there.`)
    await edit("five", 4)
    for (const { log } of running) expect(log()).not.toContain(password)
    await nats.open()
    await untilAll(well)
  })

  it("are told by the doctor whether it carries what they tell, or what it lacks, without its password", async () => {
    const good = await pawl(["doctor", "--data", folder.path], environment())
    expect(good.output).toContain(
      `ok       Notices              NATS at nats://${nats.at}: what one tells another hears`
    )
    const wrong = await pawl(
      ["doctor", "--data", folder.path],
      environment({ PAWL_NOTICES: `nats://pawl:${password}2@${nats.at}` })
    )
    expect(wrong.output).toMatch(/^weak +Notices .*it takes no such login \(PAWL_NOTICES, PAWL_NOTICES_CREDENTIALS\)/m)
    expect(wrong.output).toContain("mend it with: start it, or correct PAWL_NOTICES")
    expect(good.output + wrong.output).not.toContain(password)
    expect(wrong.code).toBe(good.code)
  })

  it("are not started with an option that cannot be used, in words without its password", async () => {
    const { code, output } = await pawl(
      ["serve", "--port", "0", "--data", folder.path],
      environment({ PAWL_NOTICES: `nats://pawl:${password}@${nats.at}/topic` })
    )
    expect([code, output]).toEqual([2, expect.stringContaining("notices (PAWL_NOTICES): use nats://host:port")])
    expect(output).not.toContain(password)
  })
})
