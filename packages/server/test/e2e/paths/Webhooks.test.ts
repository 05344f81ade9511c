import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Delivery } from "@pawl/core/model/Delivery"
import type { Event } from "@pawl/core/model/Event"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { ownAddress } from "../../../../adapters-local/test/OwnAddress.ts"

interface Arrived {
  readonly headers: Record<string, string>
  readonly body: string
}

/** A receiver on loopback that notes what arrives. `answering` says the status, from how often this event came. */
const openReceiver = async (answering: (times: number) => number, { host, port } = { host: "127.0.0.1", port: 0 }) => {
  const arrived: Array<Arrived> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      arrived.push({ headers, body })
      const times = arrived.filter((each) => each.headers["webhook-id"] === headers["webhook-id"]).length
      response.writeHead(answering(times)).end("thank you")
    })
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    url: `http://${host}:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections()))
  }
}
type Receiver = Awaited<ReturnType<typeof openReceiver>>

interface Made {
  readonly webhook: { readonly id: string }
  readonly secret: string
}

const verified = (made: Made, { arrived }: Receiver): ReadonlyArray<Event> =>
  arrived.map(({ body, headers }) => new Webhook(made.secret).verify(body, headers) as Event)

describe("Webhooks of a running server", () => {
  const environment = { PAWL_WEBHOOKS_ALLOW_PRIVATE: "true" }
  const folder = temporaryFolder()
  let server: ServerProcess
  let projectId: string
  let before: number
  let [all, flaky, dead]: Array<Made> = []
  let everything: Receiver
  let patient: Receiver
  /** Where nobody answers, until somebody listens there at the end. */
  const dark = ownAddress()

  const makeWebhook = (url: string, eventTypes?: ReadonlyArray<string>) =>
    server.api.post<Made>(`/v1/projects/${projectId}/webhooks`, {
      url,
      ...(eventTypes === undefined ? {} : { eventTypes })
    })
  const events = async () =>
    (await server.api.get<{ items: ReadonlyArray<Event> }>(`/v1/projects/${projectId}/events?after=${before}`)).items

  beforeAll(async () => {
    server = await startServer({ data: folder.path, environment })
    everything = await openReceiver(() => 204)
    patient = await openReceiver((times) => (times <= 1 ? 500 : 200))
    projectId = (await Flow.createProject(server.api, "telling")).id
    await Flow.liveApp(server.api, projectId, 0)
    before = 0
    before = (await events()).at(-1)?.sequence ?? 0
    all = await makeWebhook(everything.url)
    flaky = await makeWebhook(patient.url, ["task.completed", "verification.started"])
    dead = await makeWebhook(`http://${dark.host}:${dark.port}/hook`, ["task.completed"])
    const change = await Flow.openChange(server.api, projectId, "told")
    await Flow.edit(server.api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    await Flow.promote(server.api, candidate.id)
    await Flow.released(server.api, projectId, 1)
  })
  afterAll(async () => {
    await server.stop()
    await everything.close()
    await patient.close()
    folder.remove()
  })

  it("tell every event of a promoted Change in order, each once, with a signature that can be verified", async () => {
    await Flow.until(events, (items) => items.some((event) => event.type === "change.completed"))
    const wanted = await events()
    await Flow.until(
      () => Promise.resolve(everything.arrived.length),
      (count) => count >= wanted.length
    )
    expect(wanted.map((event) => event.type)).toContain("canonical.advanced")
    const told = verified(all!, everything)
    const ids = everything.arrived.slice(0, told.length).map((each) => each.headers["webhook-id"])
    // Meanwhile there may be more: a checkpoint is published when it is signed.
    const sent = (await events()).slice(0, told.length)
    expect(told).toEqual(sent)
    expect(ids).toEqual(sent.map((event) => event.id))
    expect(() => verified(flaky!, everything)).toThrow()
  })

  it("tell a lone receiver that answers at once of a whole promoted Change", async () => {
    // No other webhook wakes the router here, and each event waits for the one before it.
    const lone = await openReceiver(() => 200)
    const { id } = await Flow.createProject(server.api, "alone")
    await Flow.liveApp(server.api, id, 0)
    const read = async (after: number) =>
      (await server.api.get<{ items: ReadonlyArray<Event> }>(`/v1/projects/${id}/events?after=${after}`)).items
    const first = (await read(0)).at(-1)?.sequence ?? 0
    const made = await server.api.post<Made>(`/v1/projects/${id}/webhooks`, { url: lone.url })
    const change = await Flow.openChange(server.api, id, "heard")
    await Flow.edit(server.api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
    const candidate = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    await Flow.promote(server.api, candidate.id)
    await Flow.released(server.api, id, 1)
    const wanted = await Flow.until(
      () => read(first),
      (items) => items.some((event) => event.type === "change.completed")
    )
    expect(wanted.length).toBeGreaterThanOrEqual(11)
    await Flow.until(
      () => Promise.resolve(lone.arrived.length),
      (count) => count >= wanted.length
    )
    const told = verified(made, lone)
    expect(told).toEqual((await read(first)).slice(0, told.length))
    await lone.close()
  })

  it("try again what was answered with 500, and go on with the next event after it", async () => {
    const wanted = (await events()).filter((event) => ["task.completed", "verification.started"].includes(event.type))
    expect(wanted.length).toBe(2)
    await Flow.until(
      () => Promise.resolve(patient.arrived.length),
      (count) => count >= 4
    )
    expect(verified(flaky!, patient)).toEqual(wanted.flatMap((event) => [event, event]))
  })

  it("wait for hours when nobody answers, through a restart of the server, and are sent at once when a person asks", async () => {
    const deliveries = async () =>
      (await server.api.get<{ items: ReadonlyArray<Delivery> }>(`/v1/webhooks/${dead!.webhook.id}/deliveries`)).items
    const tried = await Flow.until(deliveries, ([first]) => (first?.tries ?? 0) >= 2)
    expect(tried).toMatchObject([{ state: "waiting", event: { type: "task.completed" }, lastStatus: null }])
    expect(tried[0]!.lastProblem).toMatch(/^WebhookUnreachable: .*ECONNREFUSED$/)
    await server.stop()
    server = await startServer({ data: folder.path, environment })
    expect((await deliveries())[0]).toEqual(tried[0])
    const receiver = await openReceiver(() => 200, dark)
    await server.api.post(`/v1/webhook-deliveries/${tried[0]!.id}/redeliver`)
    await Flow.until(deliveries, ([first]) => first?.state === "delivered")
    expect(verified(dead!, receiver)).toEqual((await events()).filter((event) => event.type === "task.completed"))
    const { delivery } = await server.api.post<{ delivery: Delivery }>(`/v1/webhooks/${dead!.webhook.id}/ping`)
    await Flow.until(deliveries, ([first]) => first?.id === delivery.id && first.state === "delivered")
    expect(verified(dead!, receiver)[1]).toMatchObject({ type: "webhook.ping", id: delivery.event.id })
    await receiver.close()
  })

  it("are verified by who has the old secret and by who has the new one after a rotation", async () => {
    const both = await openReceiver(() => 200)
    const made = await makeWebhook(both.url, ["task.completed"])
    const rotated = await server.api.post<Made>(`/v1/webhooks/${made.webhook.id}/rotate-secret`)
    await server.api.post(`/v1/webhooks/${made.webhook.id}/ping`)
    await Flow.until(
      () => Promise.resolve(both.arrived.length),
      (count) => count > 0
    )
    expect(rotated.secret).not.toBe(made.secret)
    expect(verified(made, both)).toEqual(verified(rotated, both))
    await both.close()
  })

  it("leave their secrets out of the log and out of every list", async () => {
    const listed = await server.api.text(`/v1/projects/${projectId}/webhooks`)
    const letters = await server.api.text(`/v1/projects/${projectId}/dead-letters`)
    for (const made of [all!, flaky!, dead!])
      for (const text of [listed, letters, server.log()]) expect(text).not.toContain(made.secret.slice(6))
    expect(listed).toContain(all!.webhook.id)
    expect(server.log()).not.toContain("/hook")
  })
})

describe("Webhooks of a server as it comes", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("are made for no private address, and for no name of this machine or its network", async () => {
    const { api } = server
    const receiver = await openReceiver(() => 200)
    const project = await Flow.createProject(api, "careful")
    const path = `/v1/projects/${project.id}/webhooks`
    for (const url of [
      receiver.url,
      `https://127.0.0.1:${receiver.port}/`,
      `https://[::1]:${receiver.port}/`,
      "https://169.254.169.254/latest/meta-data",
      "https://10.1.2.3/",
      `https://localhost:${receiver.port}/`,
      `https://hook.localhost:${receiver.port}/`,
      "https://metadata.google.internal/"
    ])
      expect([url, await api.refused(path, { url })]).toMatchObject([
        url,
        { status: 400, problem: { code: "invalid_field", field: "url" } }
      ])
    expect(receiver.arrived).toEqual([])
    await receiver.close()
  })
})

describe("Webhooks that people change", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  let projectId: string
  beforeAll(async () => {
    server = await startServer({ data: folder.path, environment: { PAWL_WEBHOOKS_ALLOW_PRIVATE: "true" } })
    projectId = (await Flow.createProject(server.api, "telling")).id
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("that are paused tell nothing, and all of it in order once they are resumed; a leaked secret signs nothing more", async () => {
    const receiver = await openReceiver(() => 200)
    const made = await server.api.post<Made>(`/v1/projects/${projectId}/webhooks`, {
      url: receiver.url,
      eventTypes: ["changeset.proposed"]
    })
    const at = `/v1/webhooks/${made.webhook.id}`
    const change = (body: object) =>
      fetch(`${server.origin}${at}`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    expect((await change({ paused: true })).status).toBe(200)
    for (const goal of ["waits", "waits too"])
      await Flow.edit(server.api, await Flow.openChange(server.api, projectId, goal), { "public/w.txt": goal })
    await server.api.post(`${at}/ping`)
    const count = (least: number) =>
      Flow.until(
        () => Promise.resolve(receiver.arrived.length),
        (found) => found >= least
      )
    expect(await count(1)).toBe(1)
    expect(verified(made, receiver).map(({ type }) => String(type))).toEqual(["webhook.ping"])
    expect((await change({ paused: false })).status).toBe(200)
    await count(3)
    const proposed = (
      await server.api.get<{ items: ReadonlyArray<Event> }>(`/v1/projects/${projectId}/events?after=0`)
    ).items
      .filter(({ type }) => type === "changeset.proposed")
      .slice(-2)
    expect(verified(made, receiver).slice(1)).toEqual(proposed)
    const next = await server.api.post<Made>(`${at}/rotate-secret`, { graceSeconds: 0 })
    await server.api.post(`${at}/ping`)
    await count(4)
    const last = { ...receiver, arrived: receiver.arrived.slice(3, 4) }
    expect(verified({ ...made, secret: next.secret }, last).length).toBe(1)
    expect(() => verified(made, last)).toThrow()
    expect(last.arrived[0]?.headers["webhook-signature"]?.split(" ").length).toBe(1)
    await receiver.close()
  })

  it("tell Slack in a line with a link into the console what waits for a person", async () => {
    const receiver = await openReceiver(() => 200)
    await server.api.post(`/v1/projects/${projectId}/webhooks`, { url: receiver.url, format: "slack" })
    const change = await Flow.openChange(server.api, projectId, "judge <it> & more")
    await Flow.edit(server.api, change, { "pawl.json": `${Flow.source("one")["pawl.json"]}\n` })
    const { id } = await Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
    await Flow.until(
      () => Promise.resolve(receiver.arrived.length),
      (found) => found >= 1
    )
    const { text } = JSON.parse(receiver.arrived[0]!.body) as { text: string }
    expect(text).toMatch(/^\*telling\*: An approval is owed, risk high \(judge &lt;it&gt; &amp; more\)\./)
    const link = /<([^|]+)\|Open it>$/.exec(text)?.[1]
    expect(link).toMatch(new RegExp(`^http://[^/]+/changes/${change.id}$`))
    expect(id).toMatch(/^cand_/)
    await receiver.close()
  })
})
