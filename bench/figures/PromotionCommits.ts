/** Promotion commits per second, beside two transactions written by hand. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import type { Commit } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { swapDecision, type Snapshot } from "@pawl/core/promotion/Canonical"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Bench, figure, type Figure, ratioAtLeast, type Target } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import * as HandWritten from "../parts/HandWritten.ts"
import { ask, headOf, prepare, snapshotOf } from "../parts/PromotionWorld.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const projects = 32
/** Promotions of each Project in one round. */
const each = Number(process.env["PAWL_BENCH_PROMOTIONS"] ?? 40)
const perRound = projects * each

const all = Array.from({ length: projects }, (_, project) => project)
const turns = Array.from({ length: each }, (_, n) => n)
/** In line: one Project after the other. In parallel: every Project's next one in turn. */
const inLine = all.flatMap((project) => turns.map((n) => ({ project, n })))
const inParallel = turns.flatMap((n) => all.map((project) => ({ project, n })))

const decide = (snapshot: Snapshot): Commit => {
  const decision = swapDecision(snapshot, ask)
  if (decision._tag !== "Swap") throw new Error(`the Candidate cannot be promoted: ${decision._tag}`)
  return decision.commit
}

const storesOn = (filename: string) =>
  ManagedRuntime.make(Layer.provide(SqlStores.layer, SqliteClient.layer({ filename })))

interface Templates {
  readonly real: string
  readonly minimal: string
  readonly sameRows: string
}

/** Database files as they are before the first promotion; each round works on a copy. */
const makeTemplates = async (folder: string, snapshots: ReadonlyArray<Snapshot>): Promise<Templates> => {
  const templates = { real: join(folder, "real"), minimal: join(folder, "minimal"), sameRows: join(folder, "same") }
  const stores = storesOn(templates.real)
  await stores.runPromise(prepare(projects, each))
  await stores.dispose()
  const heads = all.map((project) => headOf(project, 0))
  const minimal = HandWritten.open(templates.minimal)
  HandWritten.createMinimal(minimal, heads)
  minimal.close()
  const sameRows = HandWritten.open(templates.sameRows)
  HandWritten.createSameRows(sameRows, heads, snapshots)
  sameRows.close()
  return templates
}

/** Work on a fresh copy of a template; answers promotions per second. */
const onCopy = async (template: string, work: (filename: string) => Promise<number>): Promise<number> => {
  const filename = `${template}.round`
  copyFileSync(template, filename)
  const elapsedMs = await work(filename)
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${filename}${suffix}`, { force: true })
  return (perRound * 1000) / elapsedMs
}

const real = (filename: string, fibers: 1 | 8 | 32, snapshots: ReadonlyArray<ReadonlyArray<Snapshot>>) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const promote = (snapshot: Snapshot) => Effect.suspend(() => ledger.commit(decide(snapshot)))
    const line = (project: number) => Effect.forEach(snapshots[project]!, promote, { discard: true })
    const began = performance.now()
    yield* Effect.forEach(all, line, { concurrency: fibers, discard: true })
    return performance.now() - began
  }).pipe((effect) => {
    const stores = storesOn(filename)
    return lastly(stores.runPromise(effect), () => stores.dispose())
  })

const byHand = async <A>(
  filename: string,
  make: (db: ReturnType<typeof HandWritten.open>) => (input: A) => void,
  inputs: ReadonlyArray<A>
) => {
  const db = HandWritten.open(filename)
  const promote = make(db)
  const began = performance.now()
  for (const input of inputs) promote(input)
  const elapsedMs = performance.now() - began
  db.close()
  return elapsedMs
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const snapshots = all.map((project) => turns.map((n) => snapshotOf(project, n)))
    const ordered = (order: typeof inLine) => order.map(({ n, project }) => snapshots[project]![n]!)
    const [line, parallel] = [ordered(inLine), ordered(inParallel)]
    const [lineCommits, parallelCommits] = [line.map(decide), parallel.map(decide)]
    say("preparing")
    const templates = await makeTemplates(folder, line)
    const minimal = (inputs: ReadonlyArray<Snapshot>) => () =>
      onCopy(templates.minimal, (file) => byHand(file, HandWritten.minimal, inputs))
    const sameRows = (inputs: ReadonlyArray<Commit>) => () =>
      onCopy(templates.sameRows, (file) => byHand(file, HandWritten.sameRows, inputs))
    const ledger = (fibers: 1 | 8 | 32) => () => onCopy(templates.real, (file) => real(file, fibers, snapshots))
    const sides = {
      minimal8: minimal(parallel),
      ledger8: ledger(8),
      ledger32: ledger(32),
      sameRows8: sameRows(parallelCommits),
      minimal1: minimal(line),
      ledger1: ledger(1),
      sameRows1: sameRows(lineCommits)
    }
    const rates = await inTurn<keyof typeof sides, number>(rounds, sides, say)
    const against = (name: string, ours: keyof typeof sides, floor: keyof typeof sides, target?: Target): Figure =>
      figure({
        name,
        value: median(rates[ours]),
        unit: "commits/s",
        floor: floor.startsWith("minimal") ? "minimal transaction by hand" : "the same rows by hand",
        floorValue: median(rates[floor]),
        ratio: across(rates[ours], rates[floor]),
        ...(target === undefined ? {} : { target })
      })
    return {
      figures: [
        against("promotion-8-fibers", "ledger8", "minimal8", ratioAtLeast(0.7)),
        against("promotion-32-fibers", "ledger32", "minimal8", ratioAtLeast(0.75)),
        against("promotion-8-fibers-same-rows", "ledger8", "sameRows8"),
        against("promotion-1-fiber", "ledger1", "minimal1", ratioAtLeast(0.45)),
        against("promotion-1-fiber-same-rows", "ledger1", "sameRows1", ratioAtLeast(0.8))
      ],
      notes: [
        `${perRound} promotions of ${projects} Projects in each round, each side on a fresh copy of its database file.`
      ]
    }
  })
