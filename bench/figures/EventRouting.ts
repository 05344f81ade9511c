/** Events routed to a consumer group per second, beside a position that is moved by hand. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { system } from "@pawl/core/model/Actor"
import { defaultPolicy } from "@pawl/core/model/Policy"
import type { Decide } from "@pawl/core/event/Consumption"
import * as EventRouter from "@pawl/core/event/EventRouter"
import { insert } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Bench, figure, type Figure } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { open } from "../parts/HandWritten.ts"
import { now, projectOf } from "../parts/PromotionWorld.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const perRound = Number(process.env["PAWL_BENCH_EVENTS"] ?? 2000)
const projectId = projectOf(1)
const group = "bench:one"
const page = 100

const storesOn = (filename: string) =>
  ManagedRuntime.make(Layer.provide(SqlStores.layer, SqliteClient.layer({ filename })))

const data = { generation: 1, commit: "0".repeat(40), tree: "0".repeat(40), trigger: "user" }

/** A group at the beginning of a log. */
const prepare = Effect.gen(function* () {
  const ledger = yield* Ledger
  yield* ledger.commit({ name: "Bench.join", projectId, writes: [EventRouter.newGroup(projectId, group, 0, now)] })
  for (let n = 0; n < perRound; n += page) {
    const one = { type: "canonical.advanced", subject: projectId, data, actor: system("bench") } as const
    yield* ledger.commit({ name: "Bench.publish", projectId, events: Array.from({ length: page }, () => one) })
  }
})

/** One command for each event: many share a commit. */
const commanding: Decide<never> = ({ id, sequence }) =>
  Effect.succeed({ commands: [{ kind: "forks.sweep", id: `forks.sweep:${id}`, payload: { sequence } }] })

/** One record for each event: each is a commit of its own. */
const writing: Decide<never> = ({ sequence }) =>
  Effect.succeed({
    writes: [
      insert("policyVersion", { projectId, version: sequence, ...defaultPolicy, updatedAt: now, updatedBy: "bench" })
    ]
  })

const fresh = async <A>(filename: string, work: () => Promise<A>): Promise<A> =>
  lastly(work(), async () => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${filename}${suffix}`, { force: true })
  })

const routed = (template: string, decide: Decide<never>) => () =>
  fresh(`${template}.round`, async () => {
    copyFileSync(template, `${template}.round`)
    const stores = storesOn(`${template}.round`)
    const work = Effect.gen(function* () {
      const began = performance.now()
      const { _tag } = yield* EventRouter.apply(group, projectId, decide)
      if (_tag !== "CaughtUp") throw new Error(`the group is ${_tag}`)
      return (perRound * 1000) / (performance.now() - began)
    })
    return lastly(stores.runPromise(work), () => stores.dispose())
  })

const byHand = (filename: string): number => {
  const db = open(filename)
  db.prepare(
    "CREATE TABLE event (project_id TEXT, sequence INTEGER, data TEXT, PRIMARY KEY (project_id, sequence))"
  ).run()
  db.prepare(
    "CREATE TABLE position (project_id TEXT, name TEXT, sequence INTEGER, PRIMARY KEY (project_id, name))"
  ).run()
  const put = db.prepare("INSERT INTO event VALUES (?, ?, ?)")
  db.prepare("BEGIN").run()
  for (let n = 1; n <= perRound; n++) put.run(projectId, n, JSON.stringify(data))
  db.prepare("COMMIT").run()
  db.prepare("INSERT INTO position VALUES (?, ?, 0)").run(projectId, group)
  const read = db.prepare(
    `SELECT sequence, data FROM event WHERE project_id = ? AND sequence > ? ORDER BY sequence LIMIT ${page}`
  )
  const move = db.prepare("UPDATE position SET sequence = ? WHERE project_id = ? AND name = ? AND sequence = ?")
  const began = performance.now()
  let at = 0
  while (at < perRound)
    for (const row of read.all(projectId, at) as ReadonlyArray<{ readonly sequence: number; readonly data: string }>) {
      JSON.parse(row.data)
      if (move.run(row.sequence, projectId, group, at).changes !== 1) throw new Error("the position was moved")
      at = row.sequence
    }
  const elapsedMs = performance.now() - began
  db.close()
  return (perRound * 1000) / elapsedMs
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const template = join(folder, "log")
    const stores = storesOn(template)
    await lastly(stores.runPromise(prepare), () => stores.dispose())
    const sides = {
      hand: () => fresh(join(folder, "hand"), async () => byHand(join(folder, "hand"))),
      commands: routed(template, commanding),
      records: routed(template, writing)
    }
    const rates = await inTurn<keyof typeof sides, number>(rounds, sides, say)
    const against = (name: string, ours: keyof typeof sides): Figure =>
      figure({
        name,
        value: median(rates[ours]),
        unit: "events/s",
        floor: "a position moved by hand",
        floorValue: median(rates.hand),
        ratio: across(rates[ours], rates.hand)
      })
    return {
      figures: [against("event-routing-commands", "commands"), against("event-routing-records", "records")],
      notes: [`${perRound} events of one Project in each round, each side on a fresh copy of its database file.`]
    }
  })
