/**
 * What a database is while two releases run on it: the next one, which adds to its shape and takes away what only older
 * ones need, is this version with a step more of each kind.
 */
import * as SqlClient from "effect/sql/SqlClient"
import { Effect, type Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { insert } from "@pawl/core/ledger/Commit"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import type { ServerProcess } from "@pawl/core/work/Fleet"
import { Database } from "@pawl/sql/Database"
import { migrate, migrateTo } from "@pawl/sql/Migrations"
import { contract } from "@pawl/sql/OlderVersions"
import { ownShape, type Shape } from "@pawl/sql/Shape"
import * as SqlFleet from "@pawl/sql/SqlFleet"
import * as SqlStores from "@pawl/sql/SqlStores"
import { changeId, commit, failure, race, revisionOf, seedChanges, token } from "@pawl/testing/tools/StoreFixtures"

/** One release on. A column of which older versions know nothing, and an end of the table that they alone read. */
const next: Shape = {
  expansions: [
    ...ownShape.expansions,
    () => [
      "ALTER TABLE pawl_daily_counter ADD COLUMN later TEXT NOT NULL DEFAULT 'x'",
      "CREATE TABLE later (n INTEGER)"
    ]
  ],
  contractions: [...ownShape.contractions, { what: "the columns of old", statements: () => ["DROP TABLE old"] }]
}
const contractions = next.contractions.length

const fleetOf = (shape: Shape) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return SqlFleet.make(yield* Database, Effect.provideService(contract(shape), SqlClient.SqlClient, sql), shape)
  })

const process = (id: string) =>
  Effect.map(Time.now, (startedAt): ServerProcess => ({ id, version: "1.0.0", roles: ["worker"], startedAt }))

const note = (id: string, shape: Shape) =>
  Effect.flatMap(Effect.all([fleetOf(shape), process(id)]), ([fleet, one]) => fleet.note(one))

const has = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.exit(sql.unsafe(`SELECT * FROM ${table}`))).pipe(
    Effect.map(({ _tag }) => _tag === "Success")
  )

/** A database of this version, with a table that the next one does without, and what the next one adds. */
const upgraded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* migrate
  yield* sql`CREATE TABLE old (n INTEGER)`
  return yield* migrateTo(next)
})

const outgrown = { _tag: "Outgrown", contraction: contractions, known: ownShape.contractions.length }

/** Declares the suite. `client` leads to one empty database each time it is asked for; its layers all lead to that one. */
export const nextRelease = (
  name: string,
  client: Effect.Effect<Layer.Layer<SqlClient.SqlClient | Database, unknown>, never, Scope.Scope>
): void => {
  const promise = (title: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient | Database>) =>
    it(title, () =>
      Effect.runPromise(
        Effect.andThen(
          TestClock.setTime(Date.UTC(2030, 0, 1)),
          Effect.flatMap(client, (layer) => Effect.provide(body, layer))
        ).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
      )
    )

  describe(`${name} on which the next release runs, too`, () => {
    promise(
      "tells how far it was and is, each time",
      Effect.gen(function* () {
        const own = ownShape.expansions.length
        expect(yield* migrate).toEqual({ from: 0, to: own })
        expect(yield* migrate).toEqual({ from: own, to: own })
        expect(yield* migrateTo(next)).toEqual({ from: own, to: own + 1 })
        expect(yield* migrate).toEqual({ from: own + 1, to: own + 1 })
      })
    )

    promise(
      "is one on which this version starts and works",
      Effect.gen(function* () {
        yield* upgraded
        yield* Effect.provide(seedChanges(3), SqlStores.layer)
        yield* Effect.provide(
          Effect.map(revisionOf("change", changeId(2)), (revision) => expect(revision).toBe(1)),
          SqlStores.layerBeside
        )
        yield* note("old", ownShape)
        expect(yield* has("later")).toBe(true)
        expect(yield* has("old")).toBe(true)
      })
    )

    promise(
      "keeps what this version needs while one of it was seen, however long; then it is taken away, once",
      Effect.gen(function* () {
        yield* upgraded
        yield* note("new", next)
        for (let rounds = 0; rounds < 3; rounds++) {
          yield* note("old", ownShape)
          yield* TestClock.adjust(Limits.processSilentMs)
          expect(yield* contract(next)).toEqual({ done: [], waiting: ["the columns of old"], older: ["old"] })
        }
        expect(yield* has("old")).toBe(true)
        yield* TestClock.adjust(1)
        expect(yield* contract(next)).toEqual({ done: ["the columns of old"], waiting: [], older: [] })
        expect(yield* has("old")).toBe(false)
        expect(yield* contract(next)).toEqual({ done: [], waiting: [], older: [] })
      })
    )

    promise(
      "takes it away at once when the last of this version has left",
      Effect.gen(function* () {
        yield* upgraded
        for (const id of ["old-1", "old-2"]) yield* note(id, ownShape)
        const fleet = yield* fleetOf(next)
        yield* fleet.leave("old-1")
        expect(yield* fleet.contract).toMatchObject({ done: [], older: ["old-2"] })
        yield* fleet.leave("old-2")
        expect((yield* fleet.contract).done).toHaveLength(1)
      })
    )

    promise(
      "refuses this version after that: one that was frozen, and one that starts, which changes nothing",
      Effect.gen(function* () {
        yield* upgraded
        yield* note("old", ownShape)
        yield* TestClock.adjust(Limits.processSilentMs + 1)
        yield* contract(next)
        expect(yield* failure(note("old", ownShape))).toMatchObject(outgrown)
        expect(yield* failure(note("late", ownShape))).toMatchObject(outgrown)
        const lost: Partial<LedgerUnavailable> = { _tag: "LedgerUnavailable", lasting: true }
        expect(yield* failure(migrate)).toMatchObject(lost)
        expect(yield* failure(Effect.provide(seedChanges(1), SqlStores.layerBeside))).toMatchObject(lost)
        yield* note("new", next)
        expect(yield* migrateTo(next)).toMatchObject({ to: next.expansions.length })
      })
    )

    promise(
      "never takes it away from one that was told that it may go on",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate
        for (let round = 0; round < 8; round++) {
          yield* sql`CREATE TABLE old (n INTEGER)`
          const [noted, contracted] = yield* race<unknown, unknown, SqlClient.SqlClient | Database>([
            note(`old-${round}`, ownShape),
            contract(next)
          ])
          const gone = !(yield* has("old"))
          expect(contracted?._tag).toBe("Success")
          expect(noted?._tag).toBe(gone ? "Failure" : "Success")
          yield* sql`DELETE FROM pawl_process`
          yield* sql`DELETE FROM pawl_contraction`
          if (!gone) yield* sql`DROP TABLE old`
        }
      })
    )

    promise(
      "takes away steps of lives that this version does not take, when none runs that takes them",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* migrate
        yield* sql`INSERT INTO pawl_transition (kind, from_status, to_status) VALUES ('pawl_change', 'live', 'dreaming')`
        const steps = sql`SELECT * FROM pawl_transition WHERE to_status = 'dreaming'`
        yield* note("old", { ...ownShape, expansions: ownShape.expansions.slice(1) })
        expect(yield* contract()).toMatchObject({ done: [], older: ["old"] })
        expect(yield* steps).toHaveLength(1)
        yield* (yield* fleetOf(ownShape)).leave("old")
        expect((yield* contract()).done).toEqual(["steps of lives that this version does not take"])
        expect(yield* steps).toHaveLength(0)
      })
    )

    promise(
      "finds by a new column what a version wrote that knew nothing of it, when that one has gone",
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const writes = [1, 2, 3].map((n) => insert("token", token(n, n)))
        yield* Effect.provide(commit({ projectId: null, writes }), SqlStores.layer)
        yield* sql`DROP INDEX ${sql("pawl_token_userId")}`
        yield* sql`ALTER TABLE pawl_token DROP COLUMN ${sql("userId")}`
        const found = sql<{ n: number }>`SELECT count(*) AS n FROM pawl_token WHERE ${sql("userId")} IS NOT NULL`
        const count = Effect.map(found, ([row]) => Number(row?.n))
        yield* migrate
        expect(yield* count).toBe(3)
        yield* note("old", { ...ownShape, expansions: ownShape.expansions.slice(1) })
        yield* sql`UPDATE pawl_token SET ${sql("userId")} = NULL WHERE id = ${token(2, 2).id}`
        expect((yield* contract()).waiting).toHaveLength(1)
        expect(yield* count).toBe(2)
        yield* (yield* fleetOf(ownShape)).leave("old")
        expect((yield* contract()).done).toHaveLength(1)
        expect(yield* count).toBe(3)
        expect(yield* contract()).toEqual({ done: [], waiting: [], older: [] })
      })
    )

    promise(
      "is refused in words by a command beside a server while it has not the shape of this version",
      Effect.gen(function* () {
        const beside = Effect.provide(seedChanges(1), SqlStores.layerBeside)
        expect(yield* failure(beside)).toMatchObject({ operation: "open" })
        yield* migrateTo({ ...ownShape, expansions: ownShape.expansions.slice(0, -1) }).pipe(Effect.exit)
        expect(yield* failure(beside)).toMatchObject({ operation: "open" })
      })
    )
  })
}
