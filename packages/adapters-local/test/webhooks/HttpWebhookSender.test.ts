import { Effect, Redacted } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { Webhook } from "standardwebhooks"
import * as HttpWebhookSender from "@pawl/adapters-local/webhooks/HttpWebhookSender"
import { WebhookSender } from "@pawl/core/webhook/WebhookSender"
import { webhookSenderContract } from "@pawl/testing/contracts/WebhookSenderContract"
import { openReceiver, type Receiver } from "./Receivers.ts"
import { selfSigned } from "./SelfSigned.ts"

const opened: Array<Receiver> = []
afterEach(async () => {
  for (const receiver of opened.splice(0)) await receiver.close()
})
const receive = async (...args: Parameters<typeof openReceiver>): Promise<Receiver> => {
  const receiver = await openReceiver(...args)
  opened.push(receiver)
  return receiver
}

webhookSenderContract("HTTP", {
  open: async (answers) => {
    const receiver = await receive(({ path }) => answers[path] ?? null)
    const url = (path: string) => `http://127.0.0.1:${receiver.port}${path}`
    return {
      layer: HttpWebhookSender.layer({ allowPrivate: true }),
      url,
      received: () =>
        receiver.arrived.map(({ body, headers, path }) => ({ url: url(path), id: String(headers["webhook-id"]), body }))
    }
  }
})

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const body = JSON.stringify({ type: "canonical.advanced", data: { text: "Käse \u{1F9C0}" } })

const send = (url: string, options: HttpWebhookSender.HttpWebhookSenderOptions = {}, timeoutMs = 10_000) =>
  Effect.flatMap(WebhookSender, (sender) =>
    sender.send({ url, secrets: [Redacted.make(secret)], id: "evt_1", body, timeoutMs })
  ).pipe(Effect.provide(HttpWebhookSender.layer(options)))
const check = (url: string, allowPrivate = false) =>
  Effect.flatMap(WebhookSender, (sender) => sender.check(url)).pipe(
    Effect.provide(HttpWebhookSender.layer({ allowPrivate })),
    Effect.result,
    Effect.map((either) => (either._tag === "Success" ? "fine" : either.failure.reason)),
    Effect.runPromise
  )
const reason = (effect: Effect.Effect<unknown, { readonly reason: string }>): Promise<string> =>
  Effect.runPromise(Effect.map(Effect.flip(Effect.asVoid(effect)), (error) => error.reason))

const loopback = { address: "127.0.0.1", family: 4 }

describe("A webhook over HTTP", () => {
  it("carries a signature that the library of Standard Webhooks verifies, and no other body's", async () => {
    const receiver = await receive(() => 200)
    await Effect.runPromise(send(`http://127.0.0.1:${receiver.port}/hook?a=b`, { allowPrivate: true }))
    const [arrived] = receiver.arrived
    expect(arrived).toMatchObject({ method: "POST", path: "/hook?a=b", body })
    expect(arrived!.headers).toMatchObject({ "content-type": "application/json", "webhook-id": "evt_1" })
    const headers = Object.fromEntries(Object.entries(arrived!.headers).map(([name, value]) => [name, String(value)]))
    expect(new Webhook(secret).verify(arrived!.body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(secret).verify(`${arrived!.body} `, headers)).toThrow()
    expect(() => new Webhook("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(arrived!.body, headers)).toThrow()
  })

  it("carries a signature of each secret, so that a receiver with either takes it", async () => {
    const receiver = await receive(() => 200)
    const other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    const url = `http://127.0.0.1:${receiver.port}/`
    const secrets = [Redacted.make(secret), Redacted.make(other)] as const
    const sending = Effect.flatMap(WebhookSender, (sender) =>
      sender.send({ url, secrets, id: "evt_1", body, timeoutMs: 10_000 })
    )
    await Effect.runPromise(Effect.provide(sending, HttpWebhookSender.layer({ allowPrivate: true })))
    const [arrived] = receiver.arrived
    const headers = Object.fromEntries(Object.entries(arrived!.headers).map(([name, value]) => [name, String(value)]))
    expect(headers["webhook-signature"]).toMatch(/^v1,[^ ]+ v1,[^ ]+$/)
    for (const each of [secret, other])
      expect(new Webhook(each).verify(arrived!.body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook("whsec_BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(arrived!.body, headers)).toThrow()
  })

  it("goes to no address that is not public, however it is written", async () => {
    const receiver = await receive(() => 200)
    const { port } = receiver
    for (const host of [
      "127.0.0.1",
      "127.1",
      "0x7f.1",
      "2130706433",
      "017700000001",
      "127.0.0.1.",
      "0.0.0.0",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "10.0.0.1",
      "192.168.0.1",
      "169.254.169.254",
      "100.64.0.1",
      "[fd00:ec2::254]",
      "[fe80::1]",
      "[64:ff9b::7f00:1]",
      "localhost",
      "LOCALHOST.",
      "a.localhost",
      "printer.local",
      "metadata.google.internal",
      "router.home.arpa",
      "intranet"
    ]) {
      expect([host, await check(`https://${host}:${port}/`)]).toEqual([host, "the address is not public"])
      expect([host, await reason(send(`https://${host}:${port}/`))]).toEqual([host, "the address is not public"])
    }
    const hidden = `https://hidden.example:${port}/`
    expect(await check(hidden)).toBe("fine")
    expect(await reason(send(hidden, { resolve: () => Promise.resolve([loopback]) }))).toBe("the address is not public")
    expect(receiver.arrived).toEqual([])
  })

  it("goes nowhere when one of a name's addresses is not public", async () => {
    const addresses = [{ address: "8.8.8.8", family: 4 }, { address: "2606:4700::1111", family: 6 }, loopback]
    for (const some of [addresses, addresses.toReversed()])
      expect(await reason(send("https://mixed.example/", { resolve: () => Promise.resolve(some) }))).toBe(
        "the address is not public"
      )
    expect(await reason(send("https://none.example/", { resolve: () => Promise.resolve([]) }))).toBe(
      "the name has no address"
    )
  })

  it("asks for a name once and connects to what it was told, so that a name that changes gains nothing", async () => {
    const receiver = await receive(({ headers }) => (headers.host === `moving.example:${receiver.port}` ? 200 : 500))
    let asked = 0
    const resolve = () => Promise.resolve([++asked === 1 ? loopback : { address: "127.9.9.9", family: 4 }])
    const status = await Effect.runPromise(
      send(`http://moving.example:${receiver.port}/`, { allowPrivate: true, resolve })
    )
    expect([status, asked]).toEqual([200, 1])
  })

  it("wants https and a plain URL unless private addresses are allowed", async () => {
    expect(await check("http://receiver.example/")).toBe("use https")
    expect(await check("http://receiver.example/", true)).toBe("fine")
    expect(await check("http://127.0.0.1:1/", true)).toBe("fine")
    expect(await check("https://receiver.example/hook?token=x")).toBe("fine")
    expect(await check("https://user:secret@receiver.example/")).toBe("a URL may not hold a user name or a password")
    expect(await check("https://receiver.example/#here")).toBe("a URL to call has no fragment")
  })

  it("keeps the name for TLS, and takes no certificate that it cannot trust", async () => {
    const names: Array<string> = []
    const SNICallback = (name: string, done: (error: null) => void) => {
      names.push(name)
      done(null)
    }
    const receiver = await receive(() => 200, { tls: { ...selfSigned, SNICallback } })
    const url = `https://named.example:${receiver.port}/`
    const resolve = () => Promise.resolve([loopback])
    expect(await reason(send(url, { allowPrivate: true, resolve }))).toBe(
      "no connection, or it broke off: DEPTH_ZERO_SELF_SIGNED_CERT"
    )
    expect(names).toEqual(["named.example"])
    expect(receiver.arrived).toEqual([])
  })

  it("reads no endless answer, and takes the status of one that is cut off", async () => {
    const receiver = await receive(() => 200, { answerBytes: 5_000_000 })
    expect(await Effect.runPromise(send(`http://127.0.0.1:${receiver.port}/`, { allowPrivate: true }))).toBe(200)
  })

  it("says that nobody listens, that a name is unknown, or that the look-up hangs, and names no one", async () => {
    const receiver = await receive(() => 200)
    await receiver.close()
    expect(await reason(send(`http://127.0.0.1:${receiver.port}/`, { allowPrivate: true }))).toBe(
      "no connection, or it broke off: ECONNREFUSED"
    )
    const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND secret.example"), { code: "ENOTFOUND" })
    expect(await reason(send("https://secret.example/", { resolve: () => Promise.reject(unknown) }))).toBe(
      "the name cannot be looked up: ENOTFOUND"
    )
    expect(await reason(send("https://slow.example/", { resolve: () => new Promise(() => {}) }, 20))).toBe(
      "the name was not looked up in time"
    )
  })
})
