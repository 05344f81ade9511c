/** Compare-and-swap commits per second on Postgres, beside a transaction written by hand on `pg`. */
import * as PgClient from "@pawl/adapters-pg/PgClient"
import { type Commit, insert, update } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Head } from "@pawl/core/model/Generation"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import Pg from "pg"
import { type Bench, figure, type Figure, ratioAtLeast } from "../Figure.ts"
import { across, inTurn, lastly, median, timed } from "../Rounds.ts"
import * as PostgresServer from "../../packages/adapters-pg/test/PostgresServer.ts"

const heads = 32
const connections = 10
/** Commits in one round, over all heads. */
const perRound = Number(process.env["PAWL_BENCH_SWAPS"] ?? 1600)

const idOf = (n: number): Head["projectId"] => `proj_${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`
const objectOf = (generation: number): string => generation.toString(16).padStart(40, "0")
const headOf = (n: number, generation: number): Head => ({
  projectId: idOf(n),
  generation,
  commit: objectOf(generation),
  tree: objectOf(generation),
  syncedGeneration: generation
})
const dataOf = (generation: number) => ({ generation, commit: objectOf(generation), tree: objectOf(generation) })

const begin = (n: number): Commit => ({
  name: "bench",
  projectId: idOf(n),
  writes: [insert("head", headOf(n, 0))]
})
/** Each head is at a generation, and its row at the revision after that. */
const swap = (n: number, generation: number): Commit => ({
  name: "bench",
  projectId: idOf(n),
  writes: [update("head", { record: headOf(n, generation), revision: generation + 1 }, headOf(n, generation + 1))],
  events: [
    {
      type: "canonical.advanced",
      subject: idOf(n),
      data: dataOf(generation + 1),
      actor: { type: "system", id: "bench" }
    }
  ]
})

type Side = (head: number, generation: number) => Promise<void>

const byHand = async (pool: Pg.Pool): Promise<Side> => {
  await pool.query("CREATE TABLE head (project_id TEXT PRIMARY KEY, generation INTEGER, data TEXT)")
  await pool.query("CREATE TABLE outbox (position BIGSERIAL PRIMARY KEY, project_id TEXT, type TEXT, data TEXT)")
  for (let n = 0; n < heads; n++) await pool.query("INSERT INTO head VALUES ($1, 0, '')", [idOf(n)])
  return async (n, generation) => {
    const client = await pool.connect()
    try {
      const data = JSON.stringify(dataOf(generation + 1))
      await client.query({ name: "begin", text: "BEGIN" })
      const { rowCount } = await client.query({
        name: "swap",
        text: "UPDATE head SET generation = $1, data = $2 WHERE project_id = $3 AND generation = $4",
        values: [generation + 1, data, idOf(n), generation]
      })
      if (rowCount !== 1) throw new Error(`generation ${generation + 1} was taken`)
      await client.query({
        name: "tell",
        text: "INSERT INTO outbox (project_id, type, data) VALUES ($1, $2, $3)",
        values: [idOf(n), "canonical.advanced", data]
      })
      await client.query({ name: "commit", text: "COMMIT" })
    } finally {
      client.release()
    }
  }
}

/** The ratio owed, by the fibers that commit at once. */
const owed = { 1: 1, 8: 0.85, 32: 0.9 } as const

/** Swaps from as many fibers, each on heads of its own; answers swaps per second. */
const measure = (side: Side, fibers: number) => {
  const generations = Array.from({ length: heads }, () => 0)
  return async (): Promise<number> => {
    const each = perRound / fibers
    const ms = await timed(() =>
      Promise.all(
        Array.from({ length: fibers }, async (_, fiber) => {
          for (let n = 0; n < each; n++) await side(fiber, generations[fiber]!++)
        })
      )
    )
    return (perRound * 1000) / ms
  }
}

const measureAll = async (server: PostgresServer.PostgresServer, rounds: number, say: (text: string) => void) => {
  const rates: Array<Figure> = []
  for (const fibers of [1, 8, 32] as const) {
    const schema = `bench_${fibers}`
    const pool = new Pg.Pool({
      connectionString: server.url,
      max: connections,
      options: `-c search_path=raw_${fibers}`
    })
    const stores = ManagedRuntime.make(
      Layer.provide(SqlStores.layer, PgClient.layer({ url: Redacted.make(server.url), schema, connections }))
    )
    await lastly(
      (async () => {
        const commit = (one: Commit) => stores.runPromise(Effect.flatMap(Ledger, (ledger) => ledger.commit(one)))
        for (let n = 0; n < heads; n++) await commit(begin(n))
        await pool.query(`CREATE SCHEMA raw_${fibers}`)
        const sides = {
          ledger: measure(async (n, generation) => void (await commit(swap(n, generation))), fibers),
          hand: measure(await byHand(pool), fibers)
        }
        const measured = await inTurn<keyof typeof sides, number>(rounds, sides, say)
        rates.push(
          figure({
            name: `postgres-swaps-${fibers}-fiber${fibers === 1 ? "" : "s"}`,
            value: median(measured.ledger),
            unit: "commits/s",
            floor: "minimal transaction by hand",
            floorValue: median(measured.hand),
            ratio: across(measured.ledger, measured.hand),
            target: ratioAtLeast(owed[fibers])
          })
        )
      })(),
      () => Promise.all([pool.end(), stores.dispose()])
    )
  }
  return rates
}

export const bench: Bench = async ({ rounds, say }) => {
  say("starting Postgres")
  const server = await PostgresServer.startOwn()
  const figures = await lastly(measureAll(server, rounds, say), server.stop)
  return {
    figures,
    notes: [
      `${perRound} swaps in each round, over ${connections} connections on loopback; Postgres waits for the disk.`
    ]
  }
}
