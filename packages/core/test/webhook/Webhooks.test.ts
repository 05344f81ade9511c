import { inspect } from "node:util"
import { Context, Effect, Fiber, Redacted, References } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import type * as Secrets from "@pawl/core/access/Secrets"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import * as Changes from "@pawl/core/change/Changes"
import { Commands } from "@pawl/core/work/Commands"
import { groups } from "@pawl/core/worker/Consumers"
import { EventLog } from "@pawl/core/event/EventLog"
import * as DeadLetters from "@pawl/core/worker/DeadLetters"
import { retryPauses } from "@pawl/core/model/Delivery"
import * as EventRouter from "@pawl/core/event/EventRouter"
import * as RouterLoop from "@pawl/core/event/RouterLoop"
import { webhookGroup } from "@pawl/core/model/Webhook"
import * as Webhooks from "@pawl/core/webhook/Webhooks"
import { demand, find } from "@pawl/core/ledger/Decision"
import { Ledger, LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Projects from "@pawl/core/project/Projects"
import { inject } from "@pawl/testing/tools/Faults"
import { wrap } from "@pawl/testing/tools/PortWrap"
import { organizationId, person, received, receivers, run, settle } from "../kit/MemoryPawl.ts"

const url = "https://receiver.example/hook"
const files = { "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "x" }] }), "src/index.js": "one" }

type Services = Effect.Services<Parameters<typeof run>[0]> | Secrets.Secrets

const play = <A, E>(program: Effect.Effect<A, E, Services>) =>
  run(
    program.pipe(
      Effect.provide(MemorySecrets.layerMemory),
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )

const newProject = Effect.gen(function* () {
  const project = yield* Projects.create(person, { organizationId, slug: "corner", files })
  yield* settle
  return project.id
})

let edits = 0
/** A Change and an edit: `task.completed` and its companions. */
const edit = (projectId: string) =>
  Effect.gen(function* () {
    const request = { projectId, clientRequestId: `r${++edits}`, goal: "g", budgetUsd: 1 }
    const { change } = yield* Changes.open(person, request)
    yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files: { "src/index.js": `${edits}` } })
  })

/** Routes every webhook of the Project and runs what is due, as a server does. */
const route = (projectId: string) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* Records).list("consumer", { projectId })
    for (const { record } of items) yield* EventRouter.apply(record.group, projectId, groups(record.group)!)
    yield* settle
  })

/** Lets all tries of a delivery happen. */
const persist = (projectId: string) =>
  Effect.repeat(
    Effect.andThen(route(projectId), TestClock.adjust(retryPauses.at(-1)!)),
    // And those of the queue, which has the last say.
    { times: Limits.webhookAttempts + Limits.commandAttempts }
  )

const eventsFrom = (projectId: string, after: number) =>
  Effect.flatMap(EventLog, (log) => log.read(projectId, after, 100))
const told = () => received.map((each) => JSON.parse(each.body).sequence as number)

describe("A webhook", () => {
  beforeEach(() => {
    receivers.clear()
    received.length = 0
  })

  it("is told of every event from its making on, in order, each under the id of the event", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        yield* edit(projectId)
        const before = yield* EventRouter.newestSequence(projectId)
        receivers.set(url, 204)
        yield* Webhooks.create(person, projectId, { url })
        yield* edit(projectId)
        yield* edit(projectId)
        yield* route(projectId)
        const wanted = yield* eventsFrom(projectId, before)
        expect(before).toBeGreaterThan(0)
        expect(wanted.length).toBeGreaterThan(2)
        expect(received).toEqual(wanted.map((event) => ({ url, id: event.id, body: JSON.stringify(event) })))
      })
    ))

  it("is told of what happens while a delivery is under way, and after it, without a look at the clock", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        const before = yield* EventRouter.newestSequence(projectId)
        receivers.set(url, 200)
        yield* Webhooks.create(person, projectId, { url })
        const routing = yield* Effect.forkChild(RouterLoop.run(groups))
        const stillness = TestClock.adjust(0)
        for (let round = 0; round < 5; round++) {
          yield* edit(projectId)
          // The router has queued one event and waits for its end; the worker sends this one and all after it.
          yield* stillness
          yield* settle
          yield* edit(projectId)
          yield* stillness
          yield* settle
          const wanted = yield* eventsFrom(projectId, before)
          expect([round, told()]).toEqual([round, wanted.map((event) => event.sequence)])
        }
        yield* Fiber.interrupt(routing)
      })
    ))

  it("is told of the types that it asked for, and of no other", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        receivers.set(url, 200)
        yield* Webhooks.create(person, projectId, { url, eventTypes: ["task.completed", "task.completed"] })
        yield* edit(projectId)
        yield* route(projectId)
        expect(received.map((each) => JSON.parse(each.body).type)).toEqual(["task.completed"])
      })
    ))

  it("is tried again until it answers 2xx, and the next event waits for that", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        const webhook = yield* Webhooks.create(person, projectId, { url })
        receivers.set(url, 500)
        yield* edit(projectId)
        yield* route(projectId)
        yield* TestClock.adjust(retryPauses[0]!)
        yield* route(projectId)
        const first = received[0]!.id
        expect(received.map((each) => each.id)).toEqual([first, first])
        receivers.set(url, 200)
        yield* persist(projectId)
        expect(received.filter((each) => each.id === first).length).toBe(3)
        expect(told()).toEqual(told().toSorted((a, b) => a - b))
        expect((yield* demand("webhook", webhook.id)).record.sending).toBeNull()
      })
    ))

  it("leaves dead letters when it does not answer, which a person may have sent again", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        yield* Webhooks.create(person, projectId, { url, eventTypes: ["task.completed"] })
        yield* edit(projectId)
        yield* edit(projectId)
        yield* persist(projectId)
        yield* persist(projectId)
        const commands = yield* Commands
        const letters = yield* commands.deadLetters(projectId)
        expect(letters.map((each) => [each.kind, each.attempts, each.lastProblem])).toEqual(
          Array(2).fill(["webhook.deliver", Limits.commandAttempts, "WebhookUnreachable: no answer"])
        )
        receivers.set(url, 200)
        yield* DeadLetters.retry(person, letters[1]!.id)
        yield* settle
        yield* DeadLetters.retry(person, letters[0]!.id)
        yield* settle
        expect(told()).toEqual(letters.map((each) => each.payload["sequence"]).toReversed())
        expect(yield* commands.deadLetters(projectId)).toEqual([])
        yield* edit(projectId)
        yield* route(projectId)
        expect(received.length).toBe(3)
      })
    ))

  it("is silent for good after it answered 410", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        const webhook = yield* Webhooks.create(person, projectId, { url })
        receivers.set(url, 410)
        yield* edit(projectId)
        yield* persist(projectId)
        expect((yield* demand("webhook", webhook.id)).record.active).toBe(false)
        receivers.set(url, 200)
        yield* edit(projectId)
        yield* persist(projectId)
        expect(received.length).toBe(1)
        expect(yield* (yield* Commands).deadLetters(projectId)).toEqual([])
      })
    ))

  it("ends its deliveries quietly when it is deleted, and leaves nothing behind", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        const webhook = yield* Webhooks.create(person, projectId, { url })
        yield* edit(projectId)
        yield* route(projectId)
        yield* Webhooks.remove(webhook.id)
        receivers.set(url, 200)
        yield* edit(projectId)
        yield* persist(projectId)
        expect(received).toEqual([])
        expect(yield* find("webhook", webhook.id)).toBeNull()
        expect(yield* find("consumer", `${projectId}/${webhookGroup(webhook.id)}`)).toBeNull()
        expect(yield* (yield* Commands).deadLetters(projectId)).toEqual([])
      })
    ))

  it.each(["fail-before", "commit-then-fail"] as const)(
    "loses no event and holds up no other when a commit of its delivery is lost: %s",
    async (fault) => {
      const once = (nth: number) =>
        play(
          Effect.gen(function* () {
            receivers.set(url, 200)
            received.length = 0
            const projectId = yield* newProject
            const webhook = yield* Webhooks.create(person, projectId, { url, eventTypes: ["task.completed"] })
            yield* edit(projectId)
            yield* edit(projectId)
            const ledger = yield* Ledger
            const faults = inject({
              fault,
              nth,
              counts: (call) => call.port === "Ledger",
              failure: () => new LedgerUnavailable({ operation: "commit", reason: "injected" })
            })
            const broken = Context.make(Ledger, wrap(Ledger, ledger, faults.around))
            const turn = Effect.andThen(Effect.ignore(route(projectId)), TestClock.adjust(Limits.commandLeaseMs * 2))
            yield* Effect.provide(Effect.repeat(turn, { times: 4 }), broken)
            const wanted = (yield* eventsFrom(projectId, 0)).filter((event) => event.type === "task.completed")
            expect([...new Set(told())]).toEqual(wanted.map((event) => event.sequence))
            expect((yield* demand("webhook", webhook.id)).record.sending).toBeNull()
            expect(yield* (yield* Commands).deadLetters(projectId)).toEqual([])
            return faults.calls()
          })
        )
      const commits = await once(-1)
      expect(commits).toBeGreaterThan(5)
      for (let nth = 0; nth < commits; nth++)
        await once(nth).catch((error: unknown) => expect.fail(`commit ${nth}: ${String(error)}`))
    }
  )

  it("shows its secret to nobody who prints it", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        const webhook = yield* Webhooks.create(person, projectId, { url })
        const secret = Redacted.value(webhook.secret)
        expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
        const stored = (yield* demand("webhook", webhook.id)).record
        for (const text of [JSON.stringify(stored), inspect(stored), JSON.stringify(webhook)])
          expect(text).not.toContain(secret.slice(6))
        const rotated = Redacted.value((yield* Webhooks.rotateSecret(webhook.id)).secret)
        expect(rotated).not.toBe(secret)
        expect(Redacted.value((yield* demand("webhook", webhook.id)).record.secret)).toBe(rotated)
      })
    ))

  it("is refused where it could never be reached, and beyond what a Project may have", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        for (const wrong of ["", "nowhere", `https://a.example/${"a".repeat(Limits.webhookUrlLength)}`])
          expect(yield* Effect.flip(Webhooks.create(person, projectId, { url: wrong }))).toMatchObject({
            _tag: "InvalidField",
            field: "url"
          })
        expect(yield* Effect.flip(Webhooks.create(person, projectId, { url, eventTypes: [] }))).toMatchObject({
          field: "eventTypes"
        })
        const asked = Array.from({ length: Limits.webhooksPerProject + 5 }, () =>
          Effect.result(Webhooks.create(person, projectId, { url }))
        )
        const made = yield* Effect.all(asked, { concurrency: "unbounded" })
        expect(made.filter((each) => each._tag === "Success").length).toBe(Limits.webhooksPerProject)
        expect(made.find((each) => each._tag === "Failure")?.failure).toMatchObject({
          _tag: "WebhookLimit",
          max: Limits.webhooksPerProject
        })
      })
    ))

  it("says of an event that a group unknown to this version left behind that nobody can apply it", () =>
    play(
      Effect.gen(function* () {
        const projectId = yield* newProject
        yield* edit(projectId)
        const [event] = yield* eventsFrom(projectId, 0)
        yield* (yield* Ledger).commit({
          name: "test",
          projectId,
          commands: [
            { kind: "event.consume", id: "event.consume:x", payload: { group: "nobody:1", event }, maxAttempts: 1 }
          ]
        })
        yield* settle
        expect((yield* (yield* Commands).deadLetters(projectId)).map((each) => each.lastProblem)).toEqual([
          "there is no consumer nobody:1"
        ])
      })
    ))
})
