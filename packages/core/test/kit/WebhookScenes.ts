/** A Project with a webhook, events for it, and what its receiver was told. */
import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import * as MemorySecrets from "@pawl/adapters-memory/MemorySecrets"
import type * as Secrets from "@pawl/core/access/Secrets"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import * as Changes from "@pawl/core/change/Changes"
import { Commands } from "@pawl/core/work/Commands"
import { groups } from "@pawl/core/worker/Consumers"
import * as Deliveries from "@pawl/core/webhook/Deliveries"
import { EventLog } from "@pawl/core/event/EventLog"
import * as EventRouter from "@pawl/core/event/EventRouter"
import * as Webhooks from "@pawl/core/webhook/Webhooks"
import { Records } from "@pawl/core/ledger/Records"
import * as Projects from "@pawl/core/project/Projects"
import { organizationId, person, received, run, settle } from "./MemoryPawl.ts"

/** Where the webhook sends. */
export const url = "https://receiver.example/hook"
const files = { "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "x" }] }), "src/index.js": "one" }
/** What it is told of. */
export const eventTypes = ["task.completed"] as const

type Services = Effect.Services<Parameters<typeof run>[0]> | Secrets.Secrets
/** Runs a test under a clock that stands at 2030 until it is moved. */
export const play = <A, E>(program: Effect.Effect<A, E, Services>) =>
  run(
    Effect.andThen(TestClock.setTime(Date.UTC(2030, 0, 1)), program).pipe(
      Effect.provide(MemorySecrets.layerMemory),
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )

/** A Project with a webhook. */
export const scene = Effect.gen(function* () {
  const project = yield* Projects.create(person, { organizationId, slug: "corner", files })
  yield* settle
  const webhook = yield* Webhooks.create(person, project.id, { url, eventTypes })
  return { projectId: project.id, webhook }
})

let edits = 0
/** One event that the webhook is told of. */
export const edit = (projectId: string) =>
  Effect.gen(function* () {
    const request = { projectId, clientRequestId: `r${++edits}`, goal: "g", budgetUsd: 1 }
    const { change } = yield* Changes.open(person, request)
    yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files: { "src/index.js": `${edits}` } })
  })

/** Routes every group of the Project and runs what is due, as a server does. */
export const route = (projectId: string) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* Records).list("consumer", { projectId })
    for (const { record } of items) yield* EventRouter.apply(record.group, projectId, groups(record.group)!)
    yield* settle
  })

/** The ids of the events that the webhook is to be told of, in order. */
export const wanted = (projectId: string) =>
  Effect.flatMap(EventLog, (log) => log.read(projectId, 0, 100)).pipe(
    Effect.map((events) => events.filter(({ type }) => type === "task.completed").map(({ id }) => id))
  )
/** The ids of what was received, in order. */
export const told = () => received.map(({ id }) => id)
/** The deliveries of a webhook, the newest first. */
export const listed = (webhookId: string) =>
  Effect.map(Deliveries.list(webhookId, {}), ({ items }) => items.map(({ record }) => record))
/** The newest delivery of a webhook. */
export const newest = (webhookId: string) => Effect.map(listed(webhookId), ([first]) => first!)
/** The dead letters of a Project. */
export const lettersOf = (projectId: string) => Effect.flatMap(Commands, (commands) => commands.deadLetters(projectId))
