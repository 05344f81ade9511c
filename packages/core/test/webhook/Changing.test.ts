/** Webhooks that people pause, change and give other secrets. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Deliveries from "@pawl/core/webhook/Deliveries"
import { secretsAt } from "@pawl/core/model/Webhook"
import * as Webhooks from "@pawl/core/webhook/Webhooks"
import { demand } from "@pawl/core/ledger/Decision"
import * as Time from "@pawl/core/primitives/Time"
import { person, received, receivers, settle } from "../kit/MemoryPawl.ts"
import { url, play, scene, edit, route, wanted, told, listed, newest, lettersOf } from "../kit/WebhookScenes.ts"

describe("A webhook that is paused", () => {
  beforeEach(() => {
    receivers.clear()
    received.length = 0
  })

  it("is sent nothing but pings, and all that waited in order once it is resumed", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 503)
        yield* edit(projectId)
        yield* route(projectId)
        expect(received.length).toBe(1)
        expect((yield* Webhooks.change(webhook.id, { paused: true })).pausedAt).toBe(yield* Time.now)
        receivers.set(url, 200)
        yield* edit(projectId)
        yield* route(projectId)
        yield* TestClock.adjust("1 day")
        yield* settle
        yield* route(projectId)
        expect(received.length).toBe(1)
        expect(yield* newest(webhook.id)).toMatchObject({ state: "waiting", tries: 1 })
        const waiting = yield* newest(webhook.id)
        expect(yield* Effect.flip(Deliveries.redeliver(waiting.id))).toMatchObject({ _tag: "WebhookPaused" })
        const ping = yield* Deliveries.ping(person, webhook.id)
        yield* settle
        expect(told().at(-1)).toBe(ping.event.id)
        expect((yield* Webhooks.change(webhook.id, { paused: true })).pausedAt).not.toBe(yield* Time.now)
        received.length = 0
        expect((yield* Webhooks.change(webhook.id, { paused: false })).pausedAt).toBe(null)
        yield* settle
        expect(told()).toEqual(yield* wanted(projectId))
        expect((yield* listed(webhook.id)).every(({ state }) => state === "delivered")).toBe(true)
        expect(yield* lettersOf(projectId)).toEqual([])
      })
    ))

  it("begins with the events of meanwhile, where nothing was on its way", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 200)
        yield* Webhooks.change(webhook.id, { paused: true })
        yield* edit(projectId)
        yield* edit(projectId)
        yield* route(projectId)
        expect(received).toEqual([])
        yield* Webhooks.change(webhook.id, { paused: false })
        yield* settle
        expect(told()).toEqual(yield* wanted(projectId))
        expect(told().length).toBe(2)
      })
    ))
})

describe("A webhook that is changed", () => {
  beforeEach(() => {
    receivers.clear()
    received.length = 0
  })

  it("is told at its new address, of what it asks for now", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        const moved = "https://moved.example/hook"
        receivers.set(moved, 200)
        yield* Webhooks.change(webhook.id, { url: moved, eventTypes: null })
        yield* edit(projectId)
        yield* route(projectId)
        expect(received.every((each) => each.url === moved)).toBe(true)
        expect(received.length).toBeGreaterThan(1)
        const before = (yield* demand("webhook", webhook.id)).record
        for (const [wrong, field] of [
          [{ url: "nowhere" }, "url"],
          [{ eventTypes: [] }, "eventTypes"],
          [{ format: "slack", eventTypes: ["task.completed"] }, "eventTypes"]
        ] as const)
          expect(yield* Effect.flip(Webhooks.change(webhook.id, wrong))).toMatchObject({ _tag: "InvalidField", field })
        expect((yield* demand("webhook", webhook.id)).record).toEqual(before)
        receivers.set(moved, 410)
        yield* edit(projectId)
        yield* route(projectId)
        expect(yield* Effect.flip(Webhooks.change(webhook.id, { paused: true }))).toMatchObject({
          _tag: "WebhookInactive"
        })
      })
    ))

  it("tells Slack of few types alone, in a line for people", () =>
    play(
      Effect.gen(function* () {
        const { projectId, webhook } = yield* scene
        receivers.set(url, 200)
        yield* Webhooks.change(webhook.id, { format: "slack", eventTypes: null })
        yield* edit(projectId)
        yield* route(projectId)
        expect(received).toEqual([])
        yield* Deliveries.ping(person, webhook.id)
        yield* settle
        expect(JSON.parse(received[0]!.body)).toEqual({
          text: `*corner*: a test message of the webhook ${webhook.id}.`
        })
      })
    ))

  it("has one secret alone after a change of it without grace, and the older ones no longer than was said", () =>
    play(
      Effect.gen(function* () {
        const { webhook } = yield* scene
        const signing = Effect.gen(function* () {
          const { record } = yield* demand("webhook", webhook.id)
          return secretsAt(record, yield* Time.nowMillis).length
        })
        yield* Webhooks.rotateSecret(webhook.id)
        yield* Webhooks.rotateSecret(webhook.id, 60_000)
        expect(yield* signing).toBe(3)
        yield* TestClock.adjust(60_000)
        expect(yield* signing).toBe(1)
        yield* Webhooks.rotateSecret(webhook.id)
        expect(yield* signing).toBe(2)
        yield* Webhooks.rotateSecret(webhook.id, 0)
        expect(yield* signing).toBe(1)
        expect((yield* demand("webhook", webhook.id)).record.formerSecrets).toEqual([])
      })
    ))
})
