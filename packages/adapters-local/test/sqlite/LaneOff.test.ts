/** What a Project costs in which nothing of the lane is on, counted on SQLite: statements, rows and events. */
import { Context, Effect, Layer } from "effect"
import { beforeEach, expect, it } from "vitest"
import * as SqliteClient from "@pawl/adapters-local/sqlite/SqliteClient"
import * as Policies from "@pawl/core/approval/Policies"
import { EventLog } from "@pawl/core/event/EventLog"
import { kinds } from "@pawl/core/model/Entities"
import type { PolicyFields } from "@pawl/core/model/Policy"
import { Records } from "@pawl/core/ledger/Records"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { Database } from "@pawl/sql/Database"
import * as SqlStores from "@pawl/sql/SqlStores"
import { answers, layer, page, person, run, settle } from "../../../core/test/kit/MemoryPawl.ts"
import { candidateOf, newProject } from "../../../core/test/kit/Scenes.ts"
import { temporaryFile } from "./SqliteFixture.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

const tally = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** One Change is promoted, another loses to it and is composed anew, under a Policy of these fields. */
const history = (policy: Partial<PolicyFields>) =>
  Effect.gen(function* () {
    const project = yield* newProject()
    yield* Policies.change(person, project.id, { approvalRiskTiers: [], ...policy })
    const one = yield* candidateOf(project.id, "one", { "a.txt": "a" })
    yield* candidateOf(project.id, "two", { "b.txt": "b" })
    yield* Promotions.promote(person, one.id)
    yield* settle
    return project.id
  })

/** The statements of SQL that a history takes, by their first words, the rows that it leaves, and its events. */
const counted = (policy: Partial<PolicyFields>) => {
  const statements: Array<string> = []
  const note = ({ sql }: { readonly sql: string }) =>
    void statements.push(sql.trim().replaceAll(/\s+/g, " ").split(" ", 3).join(" "))
  const counting = (database: Database["Service"]): Database["Service"] => ({
    ...database,
    query: (query) => Effect.suspend(() => (note(query), database.query(query))),
    batch: (batch) => Effect.suspend(() => (batch.forEach(note), database.batch(batch)))
  })
  const stores = Layer.unwrap(
    Effect.map(temporaryFile, (filename) =>
      SqlStores.layer.pipe(
        Layer.provide(
          Layer.effectContext(
            Effect.map(Layer.build(SqliteClient.layer({ filename })), (context) =>
              Context.add(context, Database, counting(Context.get(context, Database)))
            )
          )
        )
      )
    )
  )
  const story = Effect.gen(function* () {
    const projectId = yield* history(policy)
    const taken = tally(statements)
    const records = yield* Records
    const rows = yield* Effect.forEach(kinds, (kind) =>
      Effect.map(records.list(kind, { limit: "all" }), ({ items }) => [kind, items.length] as const)
    )
    const events = yield* (yield* EventLog).read(projectId, 0, 500)
    const checks = (yield* records.list("evidence", { limit: "all" })).items.map(({ record }) => record.checkId)
    const stated = (yield* records.list("statement", { limit: "all" })).items.flatMap(({ record }) =>
      record.chain === projectId ? [record.kind] : []
    )
    const told = { stated: tally(stated), events: tally(events.map(({ type }) => type)), checks: tally(checks) }
    return { statements: taken, rows: Object.fromEntries(rows), ...told }
  })
  return run(story, Layer.mergeAll(layer, stores))
}

it("is the same whether the Policy says nothing of it or turns each part off: no statement, row or event more", async () => {
  const silent = await counted({})
  const off = await counted({ evidenceReuse: "none", flakeRetries: 0, freezes: [], lane: { mode: "off" } })
  expect(off).toEqual(silent)
})

it("is what a Project cost before there was a lane: no row or event of it, and one row for each check of each Candidate", async () => {
  const { checks, events, rows, stated, statements } = await counted({ evidenceReuse: "none", lane: { mode: "off" } })
  expect(Object.keys(events).filter((type) => type.startsWith("lane."))).toEqual([])
  expect(Object.keys(statements).filter((sql) => /lane|flake/i.test(sql))).toEqual([])
  expect(rows).toMatchObject({ lane: 0, laneEntry: 0, flake: 0 })
  // Three Candidates, the last of which is the second made anew; S0 and S1; two Policies.
  expect(rows).toMatchObject({ change: 2, candidate: 3, generation: 2, policyVersion: 2, approval: 0 })
  expect(checks).toMatchObject({ build: 3, test: 3 })
  // Beside those of Candidates there is what the release was probed for.
  expect(rows["evidence"]).toBe(7)
  // S0 when its app was made, and S1 with how its release ended.
  expect(stated).toEqual({ outcome: 1, policy: 2, promotion: 2, release: 2 })
})
