/** Commands per second through the queue, empty and behind 100,000 waiting ones, beside a queue written by hand. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { Commands } from "@pawl/core/work/Commands"
import type { NewCommand } from "@pawl/core/model/Command"
import { Ledger } from "@pawl/core/ledger/Ledger"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Bench, figure, ratioAtLeast } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { open } from "../parts/HandWritten.ts"
import { projectOf } from "../parts/PromotionWorld.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const waiting = Number(process.env["PAWL_BENCH_WAITING"] ?? 100_000)
const projects = 100
const perRound = 1000
const kind = "canonical.sweep" as const

const storesOn = (filename: string) =>
  ManagedRuntime.make(Layer.provide(SqlStores.layer, SqliteClient.layer({ filename })))

const commandOf = (name: string): NewCommand => ({ kind, id: `${kind}:${name}`, payload: { generation: 1 } })

/** Sends `count` commands of each of so many Projects. */
const send = (prefix: string, of: number, count: number) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    for (let project = 0; project < of; project++)
      for (let n = 0; n < count; n += 200)
        yield* ledger.commit({
          name: "Bench.send",
          projectId: projectOf(project),
          commands: Array.from({ length: Math.min(200, count - n) }, (_, at) =>
            commandOf(`${prefix}/${project}/${n + at}`)
          )
        })
  })

/** Sends one command, claims what is due next and finishes it: so many times. The number of waiting ones stays. */
const through = Effect.gen(function* () {
  const ledger = yield* Ledger
  const commands = yield* Commands
  const began = performance.now()
  for (let n = 0; n < perRound; n++) {
    yield* ledger.commit({
      name: "Bench.send",
      projectId: projectOf(n % projects),
      commands: [commandOf(`new/${n}`)]
    })
    const claimed = yield* commands.claim({ worker: "bench", kinds: [kind], limit: 1, leaseMs: 30_000 })
    if (claimed.length !== 1) throw new Error("nothing was due")
    for (const { lease } of claimed) yield* commands.finish(lease)
  }
  return (perRound * 1000) / (performance.now() - began)
})

const byHand = (filename: string): number => {
  const db = open(filename)
  db.prepare(
    "CREATE TABLE command (place INTEGER PRIMARY KEY, id TEXT UNIQUE, project_id TEXT, kind TEXT, payload TEXT, ready_at INTEGER, token TEXT)"
  ).run()
  db.prepare("CREATE INDEX command_ready ON command (ready_at, place)").run()
  const put = db.prepare("INSERT INTO command (id, project_id, kind, payload, ready_at) VALUES (?, ?, ?, ?, ?)")
  const claim = db.prepare(
    `UPDATE command SET token = ?, ready_at = ? WHERE place =
      (SELECT place FROM command WHERE ready_at <= ? ORDER BY ready_at, place LIMIT 1) RETURNING id`
  )
  const finish = db.prepare("DELETE FROM command WHERE id = ? AND token = ?")
  const began = performance.now()
  for (let n = 0; n < perRound; n++) {
    put.run(`new/${n}`, projectOf(n % projects), kind, JSON.stringify({ generation: 1 }), n)
    // As ours: neither waits for the disk.
    db.pragma("synchronous = NORMAL")
    const [row] = claim.all(`token-${n}`, n + 30_000, n)
    finish.run((row as { readonly id: string }).id, `token-${n}`)
    db.pragma("synchronous = FULL")
  }
  const elapsedMs = performance.now() - began
  db.close()
  return (perRound * 1000) / elapsedMs
}

const fresh = async <A>(filename: string, work: () => Promise<A>): Promise<A> =>
  lastly(work(), async () => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${filename}${suffix}`, { force: true })
  })

const onCopy = (template: string) =>
  fresh(`${template}.round`, async () => {
    copyFileSync(template, `${template}.round`)
    const stores = storesOn(`${template}.round`)
    return lastly(stores.runPromise(through), () => stores.dispose())
  })

const template = async (filename: string, count: number): Promise<string> => {
  const stores = storesOn(filename)
  await lastly(stores.runPromise(send("waiting", projects, count / projects)), () => stores.dispose())
  return filename
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    say(`sending ${waiting} commands`)
    const empty = await template(join(folder, "empty"), 0)
    const behind = await template(join(folder, "behind"), waiting)
    const sides = {
      hand: async () => {
        const file = join(folder, "hand.round")
        return fresh(file, async () => byHand(file))
      },
      empty: () => onCopy(empty),
      behind: () => onCopy(behind)
    }
    const rates = await inTurn<keyof typeof sides, number>(rounds, sides, say)
    return {
      figures: [
        figure({
          name: "queue-behind-100000",
          value: median(rates.behind),
          unit: "commands/s",
          floor: "the same queue, empty",
          floorValue: median(rates.empty),
          ratio: across(rates.behind, rates.empty),
          target: ratioAtLeast(0.8)
        }),
        figure({
          name: "queue-empty",
          value: median(rates.empty),
          unit: "commands/s",
          floor: "a queue by hand",
          floorValue: median(rates.hand),
          ratio: across(rates.empty, rates.hand),
          target: ratioAtLeast(0.75)
        })
      ],
      notes: [
        `${perRound} commands in each round, one after the other; the waiting ones belong to ${projects} Projects and are due.`
      ]
    }
  })
