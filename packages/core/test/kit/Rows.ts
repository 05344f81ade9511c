/** One named case per row of a lifecycle: each must show that the ledger stored the row's very step. */
import { Context, Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Commit, Write } from "@pawl/core/ledger/Commit"
import { type Entity, entityOf, type Kind, kinds } from "@pawl/core/model/Entities"
import type { EventType } from "@pawl/core/model/Event"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { Lifecycle } from "@pawl/core/model/Lifecycle"
import { Records } from "@pawl/core/ledger/Records"
import { run } from "./MemoryPawl.ts"

/** `from × trigger → to` */
type Title = `${string} × ${string} → ${string}`
type Program = Parameters<typeof run>[0]

export const titleOf = (row: { readonly from: string; readonly trigger: string; readonly to: string }): Title =>
  `${row.from} × ${row.trigger} → ${row.to}`

/** A step that was stored, and its commit. */
export interface Seen {
  /** `from → to`; of a new record `from` is empty. */
  readonly step: string
  readonly commit: Commit
}

/** Notes every step of status that is stored for a kind while the program runs: `from → to`, and what was inserted. */
const watched = (kind: Kind, seen: Array<Seen>, program: Program): Program =>
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
          if (outcome._tag === "Committed") for (const step of steps) seen.push({ step, commit })
          return outcome
        })
    }
    yield* Effect.provide(program, Context.make(Ledger, watching))
  })

const keyOf = (record: unknown): unknown => {
  const { id, projectId, channel } = record as Readonly<Record<string, unknown>>
  return id ?? [projectId, channel]
}

const lives = kinds.flatMap((kind) => {
  const { lifecycle } = entityOf(kind) as Entity<unknown>
  return lifecycle === undefined ? [] : [[kind, lifecycle] as const]
})

/** Rows of every life that a write may be; what a new record may be told by. */
const tellable = (write: Write): ReadonlyArray<EventType> => {
  if (write._tag === "Delete") return []
  const life = lives.find(([kind]) => kind === write.kind)?.[1]
  if (life === undefined) return []
  if (write._tag === "Insert") return life.birth
  // A Change moves the status that it goes back to while it is promoting: the same rows tell of that.
  const names = ["status", "statusBeforePromoting"] as const
  const [from, to] = [write.from, write.record].map((record) => record as Readonly<Record<string, unknown>>)
  return names.flatMap((name) =>
    life.rows
      .filter((row) => row.from === from?.[name] && row.to === to?.[name])
      .flatMap((row) => [...row.emits, ...row.mayEmit])
  )
}

/** Events that tell of steps of a life: each stands in a commit only beside such a step. */
const ofSteps = new Set(lives.flatMap(([, life]) => life.rows.flatMap((row) => [...row.emits, ...row.mayEmit])))

/** What a commit tells of steps that it does not make. */
const unfounded = ({ events = [], writes = [] }: Commit): ReadonlyArray<EventType> => {
  const known = new Set(writes.flatMap(tellable))
  return events.map(({ type }) => type).filter((type) => ofSteps.has(type) && !known.has(type))
}

/** Expects that the step of a row was stored with the events that the row names, and with none of a step that was not made. */
export const expectRow = (lifecycle: Lifecycle<string, string>, title: string, seen: ReadonlyArray<Seen>): void => {
  const row = lifecycle.rows.find((each) => titleOf(each) === title)
  const stored = seen.filter(({ step }) => step === `${row?.from} → ${row?.to}`)
  expect(seen.map(({ step }) => step)).toContain(`${row?.from} → ${row?.to}`)
  const told = stored.map(({ commit }) => commit.events?.map(({ type }) => type) ?? [])
  expect(told.some((types) => row?.emits.every((type) => types.includes(type)))).toBe(true)
  for (const { commit } of stored) expect(unfounded(commit)).toEqual([])
}

/** Runs a case for each row, and fails when a row has none. */
export const eachRow = (lifecycle: Lifecycle<string, string>, kind: Kind, cases: Readonly<Record<Title, Program>>) =>
  describe(`The life of a ${lifecycle.name}`, () => {
    it("has a case for every row of its table, and for no other", () =>
      expect(Object.keys(cases).toSorted()).toEqual(lifecycle.rows.map(titleOf).toSorted()))

    it.each(Object.entries(cases))("%s", async (title, program) => {
      const seen: Array<Seen> = []
      await run(watched(kind, seen, program))
      expectRow(lifecycle, title, seen)
    })
  })
