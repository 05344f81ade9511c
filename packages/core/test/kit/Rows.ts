/** One named case per row of a lifecycle: each must show that the ledger stored the row's very step. */
import { Context, Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Kind } from "@pawl/core/model/Entities"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Lifecycle } from "@pawl/core/model/Lifecycle"
import { Records } from "@pawl/core/ledger/Records"
import { run } from "./MemoryPawl.ts"

/** `from × trigger → to` */
type Title = `${string} × ${string} → ${string}`
type Program = Parameters<typeof run>[0]

export const titleOf = (row: { readonly from: string; readonly trigger: string; readonly to: string }): Title =>
  `${row.from} × ${row.trigger} → ${row.to}`

/** Notes every step of status that is stored for a kind while the program runs: `from → to`, and what was inserted. */
const watched = (kind: Kind, seen: Set<string>, program: Program): Program =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const records = yield* Records
    const statusOf = (record: unknown): string => (record as { readonly status: string }).status
    const watching: Ledger["Service"] = {
      commit: (commit) =>
        Effect.gen(function* () {
          const steps: Array<string> = []
          const now = new Map<string, string>()
          for (const write of commit.writes ?? []) {
            if (write.kind !== kind || write._tag === "Delete") continue
            const id = JSON.stringify(keyOf(write.record))
            const before =
              now.get(id) ??
              (write._tag === "Insert"
                ? null
                : statusOf(
                    (yield* Effect.orDie(records.list(kind, { limit: "all" }))).items.find(
                      (each) => JSON.stringify(keyOf(each.record)) === id
                    )?.record
                  ))
            now.set(id, statusOf(write.record))
            steps.push(`${before ?? ""} → ${statusOf(write.record)}`)
          }
          const outcome = yield* ledger.commit(commit)
          if (outcome._tag === "Committed") for (const step of steps) seen.add(step)
          return outcome
        })
    }
    yield* Effect.provide(program, Context.make(Ledger, watching))
  })

const keyOf = (record: unknown): unknown => {
  const { id, project_id, channel } = record as Readonly<Record<string, unknown>>
  return id ?? [project_id, channel]
}

/** Runs a case for each row, and fails when a row has none. */
export const eachRow = (lifecycle: Lifecycle<string, string>, kind: Kind, cases: Readonly<Record<Title, Program>>) =>
  describe(`The life of a ${lifecycle.name}`, () => {
    it("has a case for every row of its table, and for no other", () =>
      expect(Object.keys(cases).toSorted()).toEqual(lifecycle.rows.map(titleOf).toSorted()))

    it.each(Object.entries(cases))("%s", async (title, program) => {
      const seen = new Set<string>()
      await run(watched(kind, seen, program))
      const row = lifecycle.rows.find((each) => titleOf(each) === title)
      expect([...seen]).toContain(`${row?.from} → ${row?.to}`)
    })
  })
