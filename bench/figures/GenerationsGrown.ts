/** What a promotion costs in a Project that has had 10,000 generations, beside one that has had 10. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { swapDecision } from "@pawl/core/promotion/Canonical"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Bench, figure, ratioAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { ask, prepare, snapshotOf } from "../parts/PromotionWorld.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

const young = 10
const old = Number(process.env["PAWL_BENCH_GENERATIONS"] ?? 10_000)
const perRound = 500

const storesOn = (filename: string) =>
  ManagedRuntime.make(Layer.provide(SqlStores.layer, SqliteClient.layer({ filename })))

/** Promotes the Project's Candidates from one generation up to another. */
const promoteUpTo = (from: number, to: number) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    for (let n = from; n < to; n++) {
      const decision = swapDecision(snapshotOf(0, n), ask)
      if (decision._tag !== "Swap") throw new Error(`S${n} cannot be promoted: ${decision._tag}`)
      yield* ledger.commit(decision.commit)
    }
  })

const template = async (filename: string, generations: number): Promise<string> => {
  const stores = storesOn(filename)
  const work = Effect.andThen(prepare(1, generations + perRound), promoteUpTo(0, generations))
  await lastly(stores.runPromise(work), () => stores.dispose())
  return filename
}

/** Milliseconds of one promotion, on a fresh copy. */
const costAt = (file: string, generations: number) => async (): Promise<number> => {
  const filename = `${file}.round`
  copyFileSync(file, filename)
  const stores = storesOn(filename)
  const work = Effect.suspend(() => {
    const began = performance.now()
    return Effect.map(promoteUpTo(generations, generations + perRound), () => (performance.now() - began) / perRound)
  })
  return lastly(stores.runPromise(work), async () => {
    await stores.dispose()
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${filename}${suffix}`, { force: true })
  })
}

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    say(`promoting ${old} generations`)
    const [few, many] = [await template(join(folder, "few"), young), await template(join(folder, "many"), old)]
    const sides = { few: costAt(few, young), many: costAt(many, old) }
    const costs = await inTurn<keyof typeof sides, number>(rounds, sides, say)
    return {
      figures: [
        figure({
          name: "promotion-at-10000-generations",
          value: median(costs.many),
          unit: "ms",
          floor: "a Project with 10 generations",
          floorValue: median(costs.few),
          ratio: across(costs.many, costs.few),
          target: ratioAtMost(1.2)
        })
      ],
      notes: [`${perRound} promotions, one after the other, in each round.`]
    }
  })
