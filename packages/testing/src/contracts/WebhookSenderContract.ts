/** What every WebhookSender promises: one message, the answer's status as it is, and no reason that tells a secret. */
import { Effect, type Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { type WebhookMessage, WebhookSender, type WebhookUnreachable } from "@pawl/core/webhook/WebhookSender"

/** A sender, and receivers that it can reach. */
export interface WebhookReceivers {
  readonly layer: Layer.Layer<WebhookSender>
  /** The URL of a path. Each path answers as it was asked to, with a `location` header that leads to `/other`. */
  readonly url: (path: string) => string
  /** What arrived so far. */
  readonly received: () => ReadonlyArray<Pick<WebhookMessage, "url" | "id" | "body">>
}

/** How an adapter's test makes receivers for this contract. */
export interface WebhookSenderFixture {
  /** Receivers that answer these statuses by path; a path with null takes the message and never answers. */
  readonly open: (answers: Readonly<Record<string, number | null>>) => Promise<WebhookReceivers>
}

const secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"
const body = JSON.stringify({ text: "Käse \u{1F9C0}", list: [1, null] })

/** Declares the suite. Each of its tests opens receivers of its own. */
export const webhookSenderContract = (name: string, fixture: WebhookSenderFixture): void => {
  const send = (receivers: WebhookReceivers, path: string, timeoutMs = 10_000) =>
    Effect.flatMap(WebhookSender, (sender) =>
      sender.send({
        url: receivers.url(path),
        secrets: [Redacted.make(secret)],
        id: `evt_${path.slice(1)}`,
        body,
        timeoutMs
      })
    ).pipe(Effect.provide(receivers.layer))
  const gap = (effect: Effect.Effect<unknown, WebhookUnreachable>): Promise<WebhookUnreachable> =>
    Effect.runPromise(Effect.flip(Effect.asVoid(effect)))

  describe(`${name}: WebhookSender`, () => {
    it("delivers the message as it is, and answers the status, good or bad", async () => {
      const statuses = { "/ok": 200, "/accepted": 202, "/none": 204, "/bad": 400, "/gone": 410, "/broken": 500 }
      const receivers = await fixture.open(statuses)
      for (const [path, status] of Object.entries(statuses))
        expect([path, await Effect.runPromise(send(receivers, path))]).toEqual([path, status])
      expect(receivers.received()).toEqual(
        Object.keys(statuses).map((path) => ({ url: receivers.url(path), id: `evt_${path.slice(1)}`, body }))
      )
    })

    it("follows no redirect", async () => {
      const receivers = await fixture.open({ "/old": 307, "/older": 301, "/other": 200 })
      expect(await Effect.runPromise(send(receivers, "/old"))).toBe(307)
      expect(await Effect.runPromise(send(receivers, "/older"))).toBe(301)
      expect(receivers.received().map((each) => each.id)).toEqual(["evt_old", "evt_older"])
    })

    it("says WebhookUnreachable where no answer comes, tells neither address nor secret, and goes on", async () => {
      const receivers = await fixture.open({ "/silent-path-token": null, "/ok": 200 })
      const unanswered = await gap(send(receivers, "/silent-path-token", 100))
      expect(unanswered._tag).toBe("WebhookUnreachable")
      const said = JSON.stringify(unanswered) + unanswered.message
      for (const hidden of ["silent-path-token", secret, secret.slice(6), new URL(receivers.url("/")).host])
        expect(said).not.toContain(hidden)
      expect(await Effect.runPromise(send(receivers, "/ok"))).toBe(200)
    })

    it("says beforehand which addresses can never be called", async () => {
      const receivers = await fixture.open({})
      const check = (url: string) => Effect.flatMap(WebhookSender, (sender) => sender.check(url))
      const use = <A>(effect: Effect.Effect<A, WebhookUnreachable, WebhookSender>) =>
        Effect.provide(effect, receivers.layer)
      await Effect.runPromise(use(check(receivers.url("/ok"))))
      for (const url of [
        "",
        "nowhere",
        "ftp://files.example/a",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://"
      ])
        expect([url, (await gap(use(check(url))))._tag]).toEqual([url, "WebhookUnreachable"])
    })
  })
}
