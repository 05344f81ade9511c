/** Records, commits and questions that the contract suites of the store ports share. */
import { Cause, Effect, Exit, type Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { system } from "@pawl/core/model/Actor"
import type { Token } from "@pawl/core/model/Membership"
import type { AppData } from "@pawl/core/app/AppData"
import type { AppLogs } from "@pawl/core/app/AppLogs"
import type { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import type { Change } from "@pawl/core/model/Change"
import type { Command, LeasedCommand, NewCommand } from "@pawl/core/model/Command"
import { commandKinds } from "@pawl/core/model/Command"
import { type Claim, Commands } from "@pawl/core/work/Commands"
import type { NewEvent } from "@pawl/core/model/Event"
import { EventLog } from "@pawl/core/event/EventLog"
import { type Commit, insert, type Stored } from "@pawl/core/ledger/Commit"
import { type Kind, kinds, type RecordOf } from "@pawl/core/model/Entities"
import type { History } from "@pawl/core/ledger/History"
import { Journal } from "@pawl/core/work/Journal"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import type { Retention } from "@pawl/core/ledger/Retention"
import type { PackLog } from "@pawl/core/project/PackLog"
import type { Fleet } from "@pawl/core/work/Fleet"
import type { SharedSlots } from "@pawl/core/ledger/SharedSlots"
import type { Backlog } from "@pawl/core/telemetry/Backlog"
import type { Head } from "@pawl/core/model/Generation"

/** All that one store provides. */
export type Stores =
  | Ledger
  | Records
  | History
  | Journal
  | Commands
  | EventLog
  | Retention
  | DailyCounter
  | SharedSlots
  | AppData
  | AppLogs
  | Backlog
  | PackLog
  | Fleet

/** Builds a new, empty store each time it is built. */
export interface StoreFixture {
  readonly layer: Layer.Layer<Stores, unknown>
  /** Runs a whole test elsewhere, as inside the object whose storage the store uses; here, when it is not said. */
  readonly within?: Within
}

/** Runs a test in a place of its own. */
export type Within = <A>(test: () => Promise<A>) => Promise<A>

/** Where it is declared. */
export const here: Within = (test) => test()

/** Runs a test against a store of its own, under the test clock (which stands still until it is adjusted). */
export const onStore = <A, E>({ layer, within = here }: StoreFixture, body: Effect.Effect<A, E, Stores>): Promise<A> =>
  within(() =>
    Effect.runPromise(
      Effect.provide(
        Effect.andThen(TestClock.setTime(Date.UTC(2030, 0, 1)), Effect.provide(body, layer)),
        TestClock.layer()
      )
    )
  )

const hex = (n: number, length: number): string => n.toString(16).padStart(length, "0")
const uuid = (n: number): string => `${hex(n, 8)}-0000-4000-8000-000000000000`

/** The time of every record here. */
export const time = "2030-01-01T00:00:00.000Z"
/** The nth Project. */
export const projectId = (n = 1): Head["projectId"] => `proj_${uuid(n)}`
/** The nth Change. */
export const changeId = (n = 1): Change["id"] => `chg_${uuid(n)}`
/** A git object id: `n` in 40 hex digits. */
export const objectId = (n: number): string => hex(n, 40)

/** The head of a Project at a generation; each generation has a commit of its own. */
export const head = (project = 1, generation = 0): Head => ({
  projectId: projectId(project),
  generation,
  commit: objectId(generation + 1),
  tree: objectId(generation + 1),
  syncedGeneration: 0
})

/** The nth Change, of Project 1. Its goal holds characters of two, three and four bytes. */
export const change = (n = 1, fields: Partial<Change> = {}): Change => ({
  id: changeId(n),
  projectId: projectId(),
  clientRequestId: `request-${n}`,
  goal: "Sell “Käse” \u{1F9C0}",
  status: "created",
  riskTier: "unknown",
  budgetUsd: 1.5,
  spentUsd: 0,
  reservedUsd: 0,
  kind: "goal",
  createdBy: { type: "user", id: "usr_1" },
  createdAt: time,
  updatedAt: time,
  statusBeforePromoting: null,
  reason: null,
  ...fields
})

/** The nth token, of the nth user; `hash` is its digest, as a number. */
export const token = (n: number, hash: number): Token => ({
  id: `tok_${String(n).padStart(26, "0")}` as Token["id"],
  userId: `usr_${uuid(n)}`,
  name: "ci",
  hash: hex(hash, 64),
  scopes: ["read"],
  createdAt: time,
  expiresAt: null,
  revokedAt: null
})

/** An event of Project 1. */
export const event = (
  data: Readonly<Record<string, unknown>> = {},
  type: NewEvent["type"] = "canonical.advanced"
): NewEvent => ({
  type,
  subject: projectId(),
  data,
  actor: system("test")
})

/** A command whose id comes from its subject. */
export const command = (subject: string, fields: Partial<NewCommand> = {}): NewCommand => ({
  kind: "agent.wake",
  id: `agent.wake:${subject}`,
  payload: { subject },
  ...fields
})

/** An empty commit of Project 1, with these parts. */
export const commitOf = (parts: Partial<Commit> = {}): Commit => ({
  name: "Test.commit",
  projectId: projectId(),
  ...parts
})

/** Commits to the store in the context. */
export const commit = (parts: Partial<Commit> = {}) =>
  Effect.flatMap(Ledger, (ledger) => ledger.commit(commitOf(parts)))

/** Inserts changes 1 to `count` of Project 1, one commit each. */
export const seedChanges = (count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, i) => i + 1),
    (n) => commit({ writes: [insert("change", change(n))] }),
    { discard: true }
  )

/** Commits nothing but commands. */
export const send = (commands: ReadonlyArray<NewCommand>, project: string | null = projectId()) =>
  commit({ projectId: project, commands })

/** Claims due commands for a second, unless said otherwise. */
export const claim = (limit = 1, options: Partial<Pick<Claim, "kinds" | "leaseMs" | "except">> = {}) =>
  Effect.flatMap(Commands, (commands) =>
    commands.claim({ worker: "w", kinds: commandKinds, limit, leaseMs: 1000, ...options })
  )

/** Claims one command that must be there. */
export const claimOne: Effect.Effect<LeasedCommand, unknown, Commands> = Effect.map(claim(), ([leased]) => {
  if (leased === undefined) throw new Error("no command was due")
  return leased
})

/** The ids of what was claimed, in the order of the claim. */
export const ids = (leased: ReadonlyArray<LeasedCommand>): ReadonlyArray<Command["id"]> =>
  leased.map((each) => each.command.id)

/** The record, which must be there. */
export const stored = <K extends Kind>(kind: K, id: string): Effect.Effect<Stored<RecordOf<K>>, unknown, Records> =>
  Effect.flatMap(Records, (records) =>
    Effect.flatMap(
      records.get(kind, id),
      Option.match({ onNone: () => Effect.fail(`no ${kind} ${id}`), onSome: (found) => Effect.succeed(found) })
    )
  )

/** The revision of a record, or null. */
export const revisionOf = (kind: Kind, id: string) =>
  Effect.flatMap(Records, (records) =>
    Effect.map(records.get(kind, id), (found) => Option.getOrNull(found)?.revision ?? null)
  )

/** All that can be read of a store without changing it. `processes` names the journals to look at. */
export const fingerprint = Effect.fnUntraced(function* (processes: ReadonlyArray<string> = []) {
  const records = yield* Records
  const listed = yield* Effect.forEach(kinds, (kind) =>
    Effect.map(records.list(kind, { limit: "all" }), ({ items, nextCursor }) => ({ items, nextCursor }))
  )
  const events = yield* Effect.flatMap(EventLog, (log) => log.read(projectId(), 0, 100))
  const steps = yield* Effect.forEach(processes, (each) => Effect.flatMap(Journal, (journal) => journal.steps(each)))
  return JSON.stringify([listed, events, steps.map((each) => [...each])])
})

/** The typed failure of an effect that must fail. */
export const failure = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<E, never, R> =>
  Effect.flatMap(Effect.exit(effect), (exit) =>
    Exit.isSuccess(exit)
      ? Effect.die(new Error("it succeeded"))
      : Option.match(Cause.findErrorOption(exit.cause), {
          onNone: () => Effect.failCause(exit.cause as Cause.Cause<never>),
          onSome: Effect.succeed
        })
  )

/** The defect of an effect that must die. */
export const defect = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<unknown, never, R> =>
  Effect.map(Effect.exit(effect), (exit) => {
    if (Exit.isSuccess(exit)) throw new Error("it succeeded")
    const found = Cause.findDefect(exit.cause)
    if (Result.isFailure(found)) throw new Error(`it failed, but not with a defect: ${Cause.pretty(exit.cause)}`)
    return found.success
  })

/** Runs effects in fibers that start together and may interleave at every step. */
export const race = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(
    effects.map((each) => Effect.exit(Effect.andThen(Effect.yieldNow, each))),
    { concurrency: "unbounded" }
  )
