/** Agents and planners whose calls are paid one by one, in a world; and a provider that goes away. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { ModelUnavailable } from "@pawl/core/agent/ModelFailures"
import { Models } from "@pawl/core/agent/Models"
import type { Turns } from "@pawl/core/agent/Turns"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import * as Time from "@pawl/core/primitives/Time"
import { nothingUsed } from "@pawl/core/task/Agent"
import { Commands } from "@pawl/core/work/Commands"
import { after, askOf, honest, newProvider, type Provider, total } from "../agent/Asking.ts"
import { settle } from "./MemoryPawl.ts"
import { type Hands, newProject, open, planned, type Script, taskOf } from "./WorkWorld.ts"

/** Talks for so many turns. */
export const talk = ({ turn }: Turns, count: number) =>
  Effect.gen(function* () {
    let ask = askOf("Begin.")
    for (let n = 1; n <= count; n++) ask = after(ask, yield* turn(n, ask), `and then ${n}`)
    return ask.parts.map((part) => part.text)
  }).pipe(Effect.catchTag("ModelRefused", Effect.die))

/** Publishes what it heard. */
export const asks =
  (count: number): Script =>
  (job) =>
    Effect.map(talk(job, count), (heard) => ({
      _tag: "Published",
      edits: { [`${job.task.key}.txt`]: heard.join("\n") },
      message: job.task.key,
      intents: [],
      usage: nothingUsed
    }))

export const always = (hands: Hands, script: Script, ...keys: ReadonlyArray<string>) => {
  for (const key of keys)
    hands.agents.set(
      key,
      Array.from({ length: 50 }, () => script)
    )
}

export const callsOf = (changeId: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Records).list("modelCall", { where: { changeId }, limit: "all" })
    return page.items.map(({ record }) => record)
  })

export const changeOf = (changeId: string) => Effect.map(demand("change", changeId), ({ record }) => record)
export const runOf = (changeId: string, key: string, attempt: number) =>
  Effect.map(demand("taskRun", `run_tsk_${changeId}_${key}_${attempt}`), ({ record }) => record)
export const lettersOf = (changeId: string) =>
  Effect.gen(function* () {
    return yield* (yield* Commands).deadLetters((yield* changeOf(changeId)).projectId)
  })

export const withModels = (provider: Provider) => Effect.provideService(Models, provider.models)

/** What must hold of the money of a Change at its end. */
export const expectCounted = (changeId: string, provider: Provider) =>
  Effect.gen(function* () {
    const calls = yield* callsOf(changeId)
    const change = yield* changeOf(changeId)
    expect(calls.filter(({ status }) => status === "reserved")).toEqual([])
    expect(change.reservedUsd).toBe(0)
    expect(change.spentUsd).toBe(total(calls.map(({ costUsd }) => costUsd)))
    expect(change.spentUsd).toBeGreaterThanOrEqual(provider.chargedUsd - 1e-9)
    return calls
  })

export const away = (charged: "no" | "unknown") =>
  new ModelUnavailable({
    kind: charged === "no" ? "overloaded" : "server",
    status: null,
    retryAfterMs: null,
    charged,
    reason: "it is away"
  })

const outageMs = 20 * 60_000

/**
 * Plays a Change whose provider is away for 20 minutes from the first call of its planner on, and for 20 more from the
 * first of its agents on; and holds what must be so when three hours are over.
 */
export const longOutages = (hands: Hands, charged: "no" | "unknown") =>
  Effect.gen(function* () {
    const since = new Map<string, number>()
    const provider = newProvider((ask) =>
      Effect.flatMap(Time.nowMillis, (now) => {
        const who = ask.callId.includes("_plan_") ? "planner" : "agents"
        const began = since.get(who) ?? now
        since.set(who, began)
        return now - began < outageMs ? Effect.fail(away(charged)) : honest(ask)
      })
    )
    always(hands, asks(2), "a", "b")
    hands.plan = (turns) => Effect.as(talk(turns, 1), [planned("a"), planned("b")])
    yield* Effect.gen(function* () {
      const changeId = yield* open((yield* newProject).id)
      for (let minutes = 0; minutes < 180; minutes++) {
        yield* settle
        yield* TestClock.adjust("1 minute")
      }
      expect([...since.keys()]).toEqual(["planner", "agents"])
      expect((yield* changeOf(changeId)).status).toBe("verifying")
      for (const key of ["a", "b"])
        expect(yield* taskOf(changeId, key)).toMatchObject({ status: "completed", attempt: 1 })
      expect(yield* lettersOf(changeId)).toEqual([])
      const calls = yield* expectCounted(changeId, provider)
      expect(calls.filter(({ status }) => status === "settled").length).toBe(5)
      const lost = calls.filter(({ status }) => status === "lost").length
      // Of the planner's turn, and of the first of each agent.
      if (charged === "no") expect(lost).toBe(0)
      else expect(lost).toBeLessThanOrEqual(3 * 3)
    }).pipe(withModels(provider))
  })
