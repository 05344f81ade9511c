/** What one, two and three worker processes get done on one Postgres, and what a hundred idle ones cost the busy ones. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as PostgresServer from "../../packages/adapters-pg/test/PostgresServer.ts"
import { type Bench, figure, type Figure, ratioAtLeast } from "../Figure.ts"
import { prepare, projectOf } from "../parts/PromotionWorld.ts"
import { first, slotsEach, type Turn } from "../parts/SleepingWork.ts"
import type { Told } from "../parts/SleepingWorker.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const program = fileURLToPath(new URL("../parts/SleepingWorker.ts", import.meta.url))
/**
 * Projects, each of which has one piece of work at a time: more than three processes have slots, or it would be the
 * Projects that are waited for.
 */
const projects = { promotions: 60, changes: 240 } as const
/** Changes of each Project. */
const each = { promotions: 10, changes: 2 } as const
/**
 * A Change has four pieces of work where a promotion has one, so that a process keeps four times as many in hand: they
 * are longer, or three processes and Postgres want more than two cores.
 */
const sleepMs = { promotions: 300, changes: 1000, looks: 300 } as const
/** Between which shares of all it is counted: at first there is work to be found, at the end there is not enough for all. */
const between = [0.15, 0.8] as const

const storesOn = (url: string, schema: string) =>
  ManagedRuntime.make(
    Layer.provide(SqlStores.layer, PgClient.layer({ url: Redacted.make(url), schema, connections: 4 }))
  )

/** How many processes start at the same time. */
const startingAtOnce = 4

/** Processes of one worker each, which wait for work. */
const started = async (count: number, args: ReadonlyArray<string>): Promise<ReadonlyArray<ChildProcess>> => {
  const children: Array<ChildProcess> = []
  while (children.length < count) {
    const some = Array.from({ length: Math.min(startingAtOnce, count - children.length) }, () =>
      fork(program, [...args], { execArgv: ["--conditions=pawl-source"] })
    )
    children.push(...some)
    await Promise.all(some.map((child) => once(child, "message")))
  }
  return children
}

const ended = async (children: ReadonlyArray<ChildProcess>): Promise<void> => {
  await Promise.all(
    children.map(async (child) => {
      const exited = once(child, "exit")
      child.kill("SIGKILL")
      await exited
    })
  )
}

let schemas = 0

/** Promotions, or Changes, per second of so many processes. */
const rateOf = async (url: string, processes: number, only: Turn["only"]): Promise<number> => {
  const schema = `bench_${schemas++}`
  const stores = storesOn(url, schema)
  const count = each[only]
  const many = projects[only]
  await stores.runPromise(prepare(many, only === "promotions" ? count : 0))
  const children = await started(processes, [url, schema, JSON.stringify({ projects: many, each: count })])
  const [from, to] = between.map((part) => Math.floor(many * count * part)) as [number, number]
  const last = only === "promotions" ? "candidate.promote" : "release.run"
  const ends: Array<number> = []
  const enough = new Promise<void>((resolve) => {
    for (const child of children)
      child.on("message", ({ endedMs, kind }: Told) => {
        if (kind === last && ends.push(endedMs) === to) resolve()
      })
  })
  const sending = Effect.flatMap(Ledger, (ledger) =>
    Effect.forEach(
      Array.from({ length: many }, (_, project) => project),
      (project) =>
        ledger.commit({
          name: "Bench.send",
          projectId: projectOf(project),
          commands: [first({ project, n: 0, each: count, only, sleepMs: sleepMs[only] })]
        }),
      { concurrency: 4 }
    )
  )
  return lastly(
    (async () => {
      await stores.runPromise(sending)
      await enough
      return ((to - from) * 1000) / (ends[to - 1]! - ends[from - 1]!)
    })(),
    async () => {
      await ended(children)
      await stores.dispose()
    }
  )
}

const looks = 60

/** Milliseconds that a commit with a command takes, and from its answer until a worker has begun: the medians. */
const latencies = async (
  url: string,
  processes: number
): Promise<{ readonly commit: number; readonly claim: number }> => {
  const schema = `bench_${schemas++}`
  const stores = storesOn(url, schema)
  await stores.runPromise(prepare(1, 0))
  const children = await started(processes, [url, schema])
  const heard = new Map<string, (told: Told) => void>()
  for (const child of children) child.on("message", (told: Told) => heard.get(told.id)?.(told))
  const times: { readonly commit: Array<number>; readonly claim: Array<number> } = { commit: [], claim: [] }
  const look = async (n: number) => {
    const command = first({ project: 0, n, each: 0, only: "changes", sleepMs: sleepMs.looks })
    const asked = { ...command, kind: "release.run" as const, id: `release.run:look/${n}` }
    const begun = new Promise<Told>((resolve) => heard.set(asked.id, resolve))
    const sentMs = performance.now()
    await stores.runPromise(
      Effect.flatMap(Ledger, (ledger) =>
        ledger.commit({ name: "Bench.look", projectId: projectOf(0), commands: [asked] })
      )
    )
    const answeredMs = performance.now()
    times.commit.push(answeredMs - sentMs)
    times.claim.push((await begun).beganMs - performance.timeOrigin - answeredMs)
  }
  return lastly(
    (async () => {
      for (let n = 0; n < looks; n++) await look(n)
      return { commit: median(times.commit), claim: median(times.claim) }
    })(),
    async () => {
      await ended(children)
      await stores.dispose()
    }
  )
}

export const bench: Bench = async ({ rounds, say }) => {
  const postgres = await PostgresServer.startOwn(["max_connections=600"])
  const { url } = postgres
  const sides = (only: Turn["only"]) => ({
    one: () => rateOf(url, 1, only),
    two: () => rateOf(url, 2, only),
    three: () => rateOf(url, 3, only)
  })
  const measure = async () => ({
    promotions: await inTurn<"one" | "two" | "three", number>(rounds, sides("promotions"), say),
    changes: await inTurn<"one" | "two" | "three", number>(rounds, sides("changes"), say),
    idle: await inTurn(rounds, { one: () => latencies(url, 1), hundred: () => latencies(url, 100) }, say)
  })
  const { changes, idle, promotions } = await lastly(measure(), () => postgres.stop())
  const linear = (name: string, of: typeof changes, side: "two" | "three", times: number): Figure =>
    figure({
      name,
      value: median(of[side]),
      unit: "/s",
      floor: `${times} times what one process does`,
      floorValue: times * median(of.one),
      ratio: across(of[side], of.one, (many, one) => many / (times * one)),
      target: ratioAtLeast(0.9)
    })
  const beside = (name: string, of: (times: { readonly commit: number; readonly claim: number }) => number): Figure =>
    figure({
      name,
      value: median(idle.hundred.map(of)),
      unit: "ms",
      floor: "one idle process",
      floorValue: median(idle.one.map(of)),
      ratio: across(idle.hundred.map(of), idle.one.map(of))
    })
  return {
    figures: [
      linear("promotions-two-workers", promotions, "two", 2),
      linear("promotions-three-workers", promotions, "three", 3),
      linear("changes-two-workers", changes, "two", 2),
      linear("changes-three-workers", changes, "three", 3),
      beside("commit-beside-100-idle", ({ commit }) => commit),
      beside("claim-beside-100-idle", ({ claim }) => claim)
    ],
    notes: [
      `Promotions of ${projects.promotions} Projects, Changes of ${projects.changes}; machine-bound work is a sleep of ${sleepMs.promotions} ms in a promotion, of ${sleepMs.changes} ms in each of the four commands of a Change. A process has ${slotsEach} slots in each lane, twice as many for Projects that have none.`
    ]
  }
}
