/** Promotion commits in two ways, one of each in turn: each way on a database file of its own. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import type { Commit } from "@pawl/core/ledger/Commit"
import { Ledger, type LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { swapDecision, type Snapshot } from "@pawl/core/promotion/Canonical"
import { frozen } from "@pawl/sql/KnownTexts"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, ManagedRuntime } from "effect"
import { across, lastly, median } from "../Rounds.ts"
import { ask, prepare, snapshotOf } from "./PromotionWorld.ts"

const projects = 16
const each = 40

/** How many promotions each side makes in a round. */
export const perRound = projects * each

/** What a side took for one commit, in milliseconds. */
export interface Cost {
  readonly wall: number
  readonly cpu: number
}

/** The commit of a promotion, with what is read for it more than its snapshot. */
export type Way = (snapshot: Snapshot) => Effect.Effect<Commit, LedgerUnavailable, Records>

/** Two ways to promote. */
export type Ways = Readonly<Record<"ours" | "floor", Way>>

/** What both took in one round. */
export type Costs = Readonly<Record<keyof Ways, Cost>>

/** The commit that a snapshot is decided to be. */
export const committed = (snapshot: Snapshot): Commit => {
  const decision = swapDecision(snapshot, ask)
  if (decision._tag !== "Swap") throw new Error(`the Candidate cannot be promoted: ${decision._tag}`)
  return decision.commit
}

/** How many rows, commands and conditions a commit has, and how many of its rows are statements. */
export const sizesOf = ({ commands = [], expects = [], writes = [] }: Commit) => ({
  writes: writes.length,
  statements: writes.filter(({ kind }) => kind === "statement").length,
  commands: commands.length,
  expects: expects.length
})

/** As a store hands them out: frozen, and the Policy the same one for all of a Project. */
const snapshots = (): ReadonlyArray<Snapshot> =>
  Array.from({ length: projects }, (_, project) => {
    const { policy } = snapshotOf(project, 0)
    return Array.from({ length: each }, (_, n) => frozen({ ...snapshotOf(project, n), policy }))
  }).flat()

interface Side {
  /** Reads what the commit needs more than the snapshot, decides and commits. */
  readonly promote: (snapshot: Snapshot) => Promise<unknown>
  readonly close: () => Promise<void>
}

const open = async (filename: string, way: Way): Promise<Side> => {
  const stores = ManagedRuntime.make(Layer.provide(SqlStores.layer, SqliteClient.layer({ filename })))
  const { ledger, records } = await stores.runPromise(Effect.all({ ledger: Ledger, records: Records }))
  const promote = (snapshot: Snapshot) =>
    Effect.flatMap(way(snapshot), (commit) => ledger.commit(commit)).pipe(Effect.provideService(Records, records))
  const close = async () => {
    await stores.dispose()
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${filename}${suffix}`, { force: true })
  }
  return { promote: (snapshot) => stores.runPromise(promote(snapshot)), close }
}

/** Adds up what each piece of work takes. */
const meter = () => {
  let [wall, cpu] = [0, 0]
  return {
    run: async (work: () => Promise<unknown>): Promise<void> => {
      const [began, used] = [performance.now(), process.cpuUsage()]
      await work()
      const { system, user } = process.cpuUsage(used)
      wall += performance.now() - began
      cpu += (system + user) / 1000
    },
    each: (): Cost => ({ wall: wall / perRound, cpu: cpu / perRound })
  }
}

/**
 * Prepares the Projects in a folder. Each call of what it answers promotes all of them on fresh copies of the database file,
 * one Candidate in one way and the same in the other, the one that comes first in turn.
 */
const prepared = async (folder: string, ways: Ways) => {
  const template = join(folder, "promotions.db")
  const stores = ManagedRuntime.make(Layer.provide(SqlStores.layer, SqliteClient.layer({ filename: template })))
  await lastly(stores.runPromise(prepare(projects, each)), () => stores.dispose())
  const read = snapshots()
  return async (): Promise<Costs> => {
    const on = (side: keyof Ways) => {
      const filename = join(folder, `${side}.db`)
      copyFileSync(template, filename)
      return open(filename, ways[side])
    }
    const sides = { ours: await on("ours"), floor: await on("floor") }
    const meters = { ours: meter(), floor: meter() }
    const promote = async (side: keyof Ways, snapshot: Snapshot) =>
      meters[side].run(() => sides[side].promote(snapshot))
    const all = async () => {
      for (const [at, snapshot] of read.entries())
        for (const side of at % 2 === 0 ? (["ours", "floor"] as const) : (["floor", "ours"] as const))
          await promote(side, snapshot)
    }
    await lastly(all(), () => Promise.all([sides.ours.close(), sides.floor.close()]))
    return { ours: meters.ours.each(), floor: meters.floor.each() }
  }
}

/** The costs of so many rounds, after one that warms up. */
export const rounds = async (folder: string, ways: Ways, count: number, say: (progress: string) => void) => {
  const round = await prepared(folder, ways)
  const runs: Array<Costs> = []
  for (let at = 0; at <= count; at++) {
    say(`promotions ${at} of ${count}`)
    const both = await round()
    if (at > 0) runs.push(both)
  }
  return runs
}

/** What a figure of both ways says, by one of the clocks. */
export const against = (runs: ReadonlyArray<Costs>, what: keyof Cost) => {
  const of = (side: keyof Ways) => runs.map((each) => each[side][what])
  return {
    value: median(of("ours")),
    unit: "ms",
    floorValue: median(of("floor")),
    ratio: across(of("ours"), of("floor"))
  }
}
