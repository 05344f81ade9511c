import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Commit from "@pawl/core/ledger/Commit"
import { find } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Api, newProject, startApi } from "../TestApi.ts"

describe("The webhooks of a Project", () => {
  let api: Api
  let path: string
  beforeAll(async () => {
    api = await startApi()
    path = `/v1/projects/${(await newProject(api, "telling")).id}/webhooks`
  })
  afterAll(() => api.close())

  const url = "https://receiver.example/hook"

  it("show their secret when they are made or get a new one, and never again", async () => {
    const made = await api.call("POST", path, { body: { url, eventTypes: ["canonical.advanced"] } })
    expect(made.status).toBe(201)
    const { webhook, secret } = made.body
    expect(webhook).toEqual({
      id: expect.stringMatching(/^whk_[0-9A-Z]{26}$/),
      projectId: expect.any(String),
      url,
      eventTypes: ["canonical.advanced"],
      active: true,
      createdAt: expect.any(String),
      createdBy: expect.stringMatching(/^usr_/)
    })
    expect(secret).toMatch(/^whsec_/)
    const rotated = await api.call("POST", `/v1/webhooks/${webhook.id}/rotate-secret`)
    expect(rotated).toMatchObject({ status: 200, body: { webhook } })
    expect(rotated.body.secret).not.toBe(secret)
    const stored = await api.run(find("webhook", webhook.id))
    expect(Redacted.value(stored!.record.secret)).toBe(rotated.body.secret)
    const listed = await api.call("GET", path)
    expect(listed.body).toEqual({ items: [webhook], nextCursor: null })
    const removed = await api.call("DELETE", `/v1/webhooks/${webhook.id}`)
    for (const { text } of [listed, removed]) {
      expect(text).not.toContain("whsec_")
      expect(text).not.toContain(rotated.body.secret.slice(6))
    }
    expect((await api.call("GET", path)).body.items).toEqual([])
    expect(await api.call("DELETE", `/v1/webhooks/${webhook.id}`)).toMatchObject({
      status: 404,
      body: { code: "unknown_webhook" }
    })
  })

  it("list what they were told, newest first, and send a ping, or a delivery once more, when an admin asks", async () => {
    const made = await api.call("POST", path, { body: { url, eventTypes: ["canonical.advanced"] } })
    const { id } = made.body.webhook
    const first = await api.call("POST", `/v1/webhooks/${id}/ping`)
    expect(first).toMatchObject({ status: 202, body: { delivery: { webhookId: id, state: "waiting", tries: 0 } } })
    const second = await api.call("POST", `/v1/webhooks/${id}/ping`)
    await api.settle()
    const listed = (query = "") => api.call("GET", `/v1/webhooks/${id}/deliveries${query}`)
    const all = await listed()
    expect(all.body).toEqual({
      items: [second, first].map(({ body }) => ({
        ...body.delivery,
        state: "failed",
        tries: 1,
        nextTryAt: null,
        lastStatus: null,
        lastProblem: "WebhookUnreachable: no answer",
        updatedAt: expect.any(String)
      })),
      nextCursor: null
    })
    expect(all.body.items[0].event).toEqual({
      id: expect.stringMatching(/^ping_/),
      type: "webhook.ping",
      sequence: null
    })
    expect(all.text).not.toContain(made.body.secret.slice(6))
    const page = await listed("?limit=1")
    expect(page.body.items).toEqual([all.body.items[0]])
    expect((await listed(`?limit=1&cursor=${page.body.nextCursor}`)).body).toEqual({
      items: [all.body.items[1]],
      nextCursor: null
    })
    const again = `/v1/webhook-deliveries/${first.body.delivery.id}/redeliver`
    expect(await api.call("POST", again)).toMatchObject({
      status: 202,
      body: { delivery: { id: first.body.delivery.id, state: "waiting", tries: 0, nextTryAt: expect.any(String) } }
    })
    expect(await api.call("POST", `/v1/webhook-deliveries/whd_none/redeliver`)).toMatchObject({
      status: 404,
      body: { code: "unknown_webhook_delivery" }
    })
    const stored = await api.run(find("webhook", id))
    await api.run(
      Effect.flatMap(Ledger, (ledger) =>
        ledger.commit({
          name: "test",
          projectId: made.body.webhook.projectId,
          writes: [Commit.update("webhook", stored!, { active: false })]
        })
      )
    )
    for (const asked of [again, `/v1/webhooks/${id}/ping`])
      expect(await api.call("POST", asked)).toMatchObject({
        status: 409,
        body: { code: "webhook_inactive", webhookId: id }
      })
    await api.call("DELETE", `/v1/webhooks/${id}`)
    expect((await api.call("POST", again)).status).toBe(404)
  })

  it("are changed, paused and resumed by an admin, and give a secret a grace of as many seconds as it is told", async () => {
    const made = (await api.call("POST", path, { body: { url } })).body.webhook
    const at = `/v1/webhooks/${made.id}`
    const change = (body: unknown) => api.call("PATCH", at, { body })
    expect((await change({ url: "https://moved.example/hook", eventTypes: ["audit.failed"] })).body.webhook).toEqual({
      ...made,
      url: "https://moved.example/hook",
      eventTypes: ["audit.failed"]
    })
    expect((await change({ eventTypes: null, format: "slack" })).body.webhook).toMatchObject({
      eventTypes: null,
      format: "slack"
    })
    expect((await change({ paused: true })).body.webhook.pausedAt).toEqual(expect.any(String))
    expect((await api.call("POST", `${at}/ping`)).status).toBe(202)
    expect((await change({ paused: false })).body.webhook.pausedAt).toBe(null)
    expect((await change({ paused: false })).status).toBe(200)
    const slipped = (await change({ status: "nonsense", format: "slack" })).body
    expect(slipped.ignored).toEqual(["status"])
    expect((await change({ status: "paused" })).body).toMatchObject({
      webhook: { pausedAt: null },
      ignored: ["status"]
    })
    expect((await change({ paused: false })).body.ignored).toBe(undefined)
    for (const [body, field] of [
      [{ url: 7 }, "url"],
      [{ url: "https://localhost/" }, "url"],
      [{ eventTypes: [] }, "eventTypes"],
      [{ eventTypes: ["task.completed"] }, "eventTypes"],
      [{ format: "teams" }, "format"],
      [{ paused: "yes" }, "paused"]
    ] as const)
      expect([body, await change(body)]).toMatchObject([body, { status: 400, body: { field } }])
    for (const graceSeconds of [-1, 86_401, 0.5, "0"])
      expect(await api.call("POST", `${at}/rotate-secret`, { body: { graceSeconds } })).toMatchObject({
        status: 400,
        body: { field: "graceSeconds" }
      })
    const secrets = async (ask: object) => {
      expect((await api.call("POST", `${at}/rotate-secret`, ask)).status).toBe(200)
      return (await api.run(find("webhook", made.id)))!.record.formerSecrets.length
    }
    expect([await secrets({}), await secrets({ body: { graceSeconds: 60 } })]).toEqual([1, 2])
    expect(await secrets({ body: { graceSeconds: 0 } })).toBe(0)
    await api.call("DELETE", at)
    expect((await change({ paused: true })).status).toBe(404)
  })

  it("are refused by name where a field cannot be used", async () => {
    for (const [body, field] of [
      [{}, "url"],
      [{ url: 7 }, "url"],
      [{ url: "nowhere" }, "url"],
      [{ url: "https://localhost/" }, "url"],
      [{ url: "https://ci.internal/hook" }, "url"],
      [{ url: "https://169.254.169.254/latest" }, "url"],
      [{ url: `https://a.example/${"a".repeat(Limits.webhookUrlLength)}` }, "url"],
      [{ url, eventTypes: [] }, "eventTypes"],
      [{ url, eventTypes: ["nothing.happened"] }, "eventTypes.0"]
    ] as const)
      expect([body, await api.call("POST", path, { body })]).toMatchObject([body, { status: 400, body: { field } }])
  })

  it("are as many as one may have, and no more", async () => {
    for (let n = 0; n < Limits.webhooksPerProject; n++)
      expect((await api.call("POST", path, { body: { url } })).status).toBe(201)
    expect(await api.call("POST", path, { body: { url } })).toMatchObject({
      status: 409,
      body: { code: "webhook_limit", max: Limits.webhooksPerProject }
    })
    const page = await api.call("GET", `${path}?limit=15`)
    expect(page.body.items.length).toBe(15)
    const rest = await api.call("GET", `${path}?limit=15&cursor=${page.body.nextCursor}`)
    expect(rest.body).toMatchObject({ items: expect.objectContaining({ length: 5 }), nextCursor: null })
  })
})
