/** What becomes of deliveries whose receiver is away for minutes or days, and what a person can do with them. */
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { groups } from "@pawl/core/worker/Consumers"
import * as Deliveries from "@pawl/core/webhook/Deliveries"
import { retryPauses } from "@pawl/core/model/Delivery"
import { EventLog } from "@pawl/core/event/EventLog"
import * as EventRouter from "@pawl/core/event/EventRouter"
import { webhookGroup } from "@pawl/core/model/Webhook"
import { type WebhookMessage, WebhookSender } from "@pawl/core/webhook/WebhookSender"
import * as Webhooks from "@pawl/core/webhook/Webhooks"
import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { person, received, receivers, settle } from "../kit/MemoryPawl.ts"
import { url, play, scene, edit, route, wanted, told, listed, newest, lettersOf } from "../kit/WebhookScenes.ts"

/** All tries of a delivery, and the queue's last word. */
const giveUp = (projectId: string) =>
  Effect.gen(function* () {
    yield* route(projectId)
    for (const pause of [...retryPauses, 1000, 2000, 4000]) {
      yield* TestClock.adjust(pause)
      yield* settle
    }
  })

describe("A webhook whose receiver is away", () => {
  beforeEach(() => {
    receivers.clear()
    received.length = 0
  })

  it("is tried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 20 h, and is then a dead letter", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 503)
        yield* edit(projectId)
        yield* route(projectId)
        const seconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 72_000]
        expect(seconds.reduce((sum, each) => sum + each)).toBeLessThan(3 * 24 * 60 * 60)
        expect(seconds.length + 1).toBe(Limits.webhookAttempts)
        for (const [index, pause] of seconds.entries()) {
          expect(yield* newest(webhook.id)).toMatchObject({
            state: "waiting",
            tries: index + 1,
            lastStatus: 503,
            nextTryAt: Time.fromMillis((yield* Time.nowMillis) + pause * 1000)
          })
          yield* TestClock.adjust(pause * 1000 - 1)
          yield* route(projectId)
          expect(received.length).toBe(index + 1)
          yield* TestClock.adjust(1)
          yield* settle
          expect(received.length).toBe(index + 2)
        }
        expect(yield* newest(webhook.id)).toMatchObject({ state: "failed", tries: 10, nextTryAt: null })
        for (const pause of [1000, 2000, 4000]) yield* Effect.andThen(TestClock.adjust(pause), settle)
        expect(received.length).toBe(Limits.webhookAttempts)
        const letters = yield* lettersOf(projectId)
        expect(letters.map(({ kind, lastProblem }) => [kind, lastProblem])).toEqual([
          ["webhook.deliver", "WebhookRefused: it answered 503"]
        ])
      })
    ))

  it("keeps its order for hours, and leaves one delivery waiting however much happens", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        for (let n = 0; n < 12; n++) {
          yield* edit(projectId)
          yield* route(projectId)
          yield* TestClock.adjust("20 minutes")
          yield* route(projectId)
          expect((yield* listed(webhook.id)).length).toBe(1)
        }
        receivers.set(url, 200)
        yield* TestClock.adjust("1 day")
        yield* route(projectId)
        expect(told()).toEqual(yield* wanted(projectId))
        expect((yield* listed(webhook.id)).map(({ state }) => state)).toEqual(Array(12).fill("delivered"))
      })
    ))

  it("is tried at once, and all that waits behind it, when a ping arrives", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        yield* edit(projectId)
        yield* edit(projectId)
        yield* route(projectId)
        for (const pause of retryPauses.slice(0, 5)) yield* Effect.andThen(TestClock.adjust(pause), settle)
        const silent = yield* Deliveries.ping(person, webhook.id)
        yield* settle
        expect((yield* demand("webhookDelivery", silent.id)).record).toMatchObject({ state: "failed", tries: 1 })
        expect(yield* lettersOf(projectId)).toEqual([])
        receivers.set(url, 204)
        const ping = yield* Deliveries.ping(person, webhook.id)
        yield* settle
        expect((yield* demand("webhookDelivery", ping.id)).record).toMatchObject({
          state: "delivered",
          lastStatus: 204
        })
        expect(told()).toEqual([ping.event.id, ...(yield* wanted(projectId))])
        expect(JSON.parse(received[0]!.body)).toMatchObject({
          specversion: "1.0",
          id: ping.event.id,
          type: "webhook.ping",
          source: `/projects/${projectId}`,
          subject: webhook.id,
          actor: person
        })
      })
    ))

  it("goes on with its next event when processes died in its middle as often as the queue allows", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 200)
        yield* edit(projectId)
        yield* edit(projectId)
        yield* EventRouter.apply(webhookGroup(webhook.id), projectId, groups(webhookGroup(webhook.id))!)
        const commands = yield* Commands
        for (let deaths = 0; deaths <= Limits.commandDeaths; deaths++) {
          const kinds = ["webhook.deliver"] as const
          expect(yield* commands.claim({ worker: "dying", kinds, limit: 1, leaseMs: 1000 })).toHaveLength(1)
          yield* TestClock.adjust(1000)
        }
        yield* settle
        const [first, second] = yield* wanted(projectId)
        expect(told()).toEqual([second])
        expect((yield* listed(webhook.id)).map(({ event, state }) => [event.id, state])).toEqual([
          [second, "delivered"],
          [first, "failed"]
        ])
        expect(yield* lettersOf(projectId)).toHaveLength(1)
      })
    ))
})

describe("A delivery", () => {
  beforeEach(() => {
    receivers.clear()
    received.length = 0
  })

  it("that was delivered is sent once more, under the same id, when a person asks", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 200)
        yield* edit(projectId)
        yield* route(projectId)
        const { id } = yield* newest(webhook.id)
        expect(yield* Deliveries.redeliver(id)).toMatchObject({ id, state: "waiting", tries: 0 })
        yield* settle
        expect(told()).toEqual(Array(2).fill((yield* wanted(projectId))[0]))
        expect(yield* newest(webhook.id)).toMatchObject({ id, state: "delivered", tries: 1, lastStatus: 200 })
      })
    ))

  it("that waits is sent now, and keeps its count", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        yield* edit(projectId)
        yield* route(projectId)
        yield* TestClock.adjust(retryPauses[0]!)
        yield* settle
        const waiting = yield* newest(webhook.id)
        expect(waiting).toMatchObject({ tries: 2, lastStatus: null, lastProblem: "WebhookUnreachable: no answer" })
        yield* TestClock.adjust(1000)
        receivers.set(url, 200)
        yield* Deliveries.redeliver(waiting.id)
        yield* settle
        expect(yield* newest(webhook.id)).toMatchObject({ state: "delivered", tries: 3, nextTryAt: null })
      })
    ))

  it("that was given up has all its tries again, and takes its dead letter with it", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        yield* edit(projectId)
        yield* giveUp(projectId)
        expect(yield* lettersOf(projectId)).toHaveLength(1)
        const { id } = yield* newest(webhook.id)
        yield* Deliveries.redeliver(id)
        expect(yield* lettersOf(projectId)).toEqual([])
        yield* settle
        expect(yield* newest(webhook.id)).toMatchObject({ state: "waiting", tries: 1 })
        receivers.set(url, 200)
        yield* TestClock.adjust(retryPauses[0]!)
        yield* settle
        expect(yield* newest(webhook.id)).toMatchObject({ state: "delivered", tries: 2 })
      })
    ))

  it("is neither sent nor asked for when its receiver wanted nothing any more", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 410)
        yield* edit(projectId)
        yield* route(projectId)
        const { id, state } = yield* newest(webhook.id)
        expect(state).toBe("gone")
        for (const asked of [Deliveries.redeliver(id), Deliveries.ping(person, webhook.id)])
          expect(yield* Effect.flip(asked)).toMatchObject({ _tag: "WebhookInactive", webhookId: webhook.id })
      })
    ))

  it("ends with a reason when its event is not kept any more", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 200)
        yield* edit(projectId)
        yield* route(projectId)
        const stored = yield* demand("webhookDelivery", (yield* newest(webhook.id)).id)
        const event = { ...stored.record.event, sequence: 999 }
        yield* (yield* Ledger).commit({
          name: "test",
          projectId,
          writes: [Commit.update("webhookDelivery", stored, { event })]
        })
        yield* Deliveries.redeliver(stored.record.id)
        yield* settle
        expect(yield* newest(webhook.id)).toMatchObject({
          state: "failed",
          lastProblem: "its event is not kept any more"
        })
      })
    ))

  it("is listed with a bounded number of others, for its days, and as long as its webhook is there", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        const count = Effect.map(
          Effect.flatMap(Records, (records) => records.list("webhookDelivery", { projectId, limit: "all" })),
          ({ items }) => items.length
        )
        yield* edit(projectId)
        yield* route(projectId)
        const waiting = (yield* newest(webhook.id)).id
        for (let n = 0; n < Limits.webhookDeliveriesKept + 20; n++) yield* Deliveries.ping(person, webhook.id)
        // One that waits for its next try is never the one too many.
        expect(yield* count).toBe(Limits.webhookDeliveriesKept + 1)
        expect((yield* demand("webhookDelivery", waiting)).record.state).toBe("waiting")
        yield* TestClock.adjust(`${Limits.webhookDeliveryDays} days`)
        yield* Deliveries.ping(person, webhook.id)
        yield* TestClock.adjust("1 hour")
        while (yield* Deliveries.forgetOld);
        expect(yield* count).toBe(1)
        yield* Webhooks.remove(webhook.id)
        expect(yield* count).toBe(0)
      })
    ))

  it("is made of what an earlier version had on its way, and keeps the order", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 200)
        yield* edit(projectId)
        yield* edit(projectId)
        const ids = yield* wanted(projectId)
        const events = yield* Effect.flatMap(EventLog, (log) => log.read(projectId, 0, 100))
        const { sequence } = events.find(({ id }) => id === ids[0])!
        const stored = yield* demand("webhook", webhook.id)
        const consumer = yield* demand("consumer", `${projectId}/${webhookGroup(webhook.id)}`)
        yield* (yield* Ledger).commit({
          name: "test",
          projectId,
          writes: [
            Commit.update("webhook", stored, { sending: { sequence, since: stored.record.createdAt } }),
            Commit.update("consumer", consumer, { sequence })
          ],
          commands: [
            { kind: "webhook.deliver", id: "webhook.deliver:old", payload: { webhookId: webhook.id, sequence } }
          ]
        })
        yield* route(projectId)
        expect(told()).toEqual(ids)
        expect(yield* lettersOf(projectId)).toEqual([])
      })
    ))
})

describe("A webhook with a new secret", () => {
  it("signs with the old ones beside it for 24 hours after each change, and then with the newest alone", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        const sent: Array<WebhookMessage> = []
        const noting = {
          ...(yield* WebhookSender),
          send: (message: WebhookMessage) => Effect.sync(() => (sent.push(message), 200))
        }
        const signing = Effect.gen(function* () {
          yield* edit(projectId)
          yield* Effect.provideService(route(projectId), WebhookSender, noting)
          return sent.at(-1)!.secrets.map(Redacted.value)
        })
        const hour = 60 * 60 * 1000
        const first = Redacted.value(webhook.secret)
        const second = Redacted.value((yield* Webhooks.rotateSecret(webhook.id)).secret)
        expect(yield* signing).toEqual([second, first])
        yield* TestClock.adjust(hour)
        const third = Redacted.value((yield* Webhooks.rotateSecret(webhook.id)).secret)
        expect(yield* signing).toEqual([third, second, first])
        yield* TestClock.adjust(Limits.webhookSecretMs - hour - 1)
        expect(yield* signing).toEqual([third, second, first])
        yield* TestClock.adjust(1)
        expect(yield* signing).toEqual([third, second])
        yield* TestClock.adjust(hour)
        expect(yield* signing).toEqual([third])
        for (let n = 0; n < 10; n++) yield* Webhooks.rotateSecret(webhook.id)
        expect((yield* signing).length).toBe(1 + Limits.webhookFormerSecrets)
      })
    ))
})
