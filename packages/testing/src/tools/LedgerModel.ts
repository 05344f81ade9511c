/**
 * A ledger held against a model that is too simple to be wrong: a copy of everything, changed in order, thrown away at
 * the first thing that does not hold. Random commits go to both; what they answer and what is kept must agree.
 */
import { rounds, seed } from "../Depth.ts"
import { Cause, Effect, Exit, Option } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ChangeStatus } from "@pawl/core/model/Change"
import { ChangeLifecycle } from "@pawl/core/model/ChangeLifecycle"
import type { Commit, Expectation, Write } from "@pawl/core/ledger/Commit"
import { Records } from "@pawl/core/ledger/Records"
import { EventLog } from "@pawl/core/event/EventLog"
import { Journal } from "@pawl/core/work/Journal"
import {
  change,
  changeId,
  claimOne,
  command,
  commit,
  event,
  onStore,
  projectId,
  send,
  type StoreFixture
} from "./StoreFixtures.ts"

interface Model {
  readonly records: ReadonlyMap<string, { readonly revision: number; readonly status: string; readonly note: string }>
  readonly events: ReadonlyArray<number>
  readonly steps: ReadonlyArray<string>
}

/** What the model says of a commit: the outcome as text, and what is kept after it. */
type Verdict = readonly [outcome: string, model: Model]

const statuses: ReadonlyArray<ChangeStatus> = ["created", "compiling", "running", "cancelled", "completed"]
const allowed = (from: string, to: string) =>
  from === to || ChangeLifecycle.rows.some((row) => row.from === from && row.to === to)

const subject = fc.integer({ min: 1, max: 4 })
const revision = fc.integer({ min: 1, max: 4 })
const write: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ n: subject, status: fc.constantFrom(...statuses), plain: fc.boolean(), note: fc.string() })
      .map(({ n, note, plain, status }): Write => ({
        _tag: "Insert",
        kind: "change",
        record: change(n, { status: plain ? "created" : status, reason: note })
      }))
  },
  {
    weight: 5,
    arbitrary: fc
      .record({ n: subject, status: fc.constantFrom(...statuses), note: fc.string(), revision })
      .map(({ n, note, status, revision: at }): Write => ({
        _tag: "Update",
        kind: "change",
        record: change(n, { status, reason: note }),
        from: change(n),
        revision: at
      }))
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ n: subject, revision })
      .map(({ n, revision: at }): Write => ({ _tag: "Delete", kind: "change", id: changeId(n), revision: at }))
  }
)
const expectation: fc.Arbitrary<Expectation> = fc.oneof(
  fc
    .record({ n: subject, revision })
    .map(({ n, revision: at }): Expectation => ({ _tag: "Unchanged", kind: "change", id: changeId(n), revision: at })),
  subject.map((n): Expectation => ({ _tag: "Absent", kind: "change", id: changeId(n) }))
)

interface Ask {
  readonly commit: Partial<Commit>
  readonly holdsLease: boolean
  readonly step: string | null
}

const ask: fc.Arbitrary<Ask> = fc.record({
  commit: fc.record(
    {
      expects: fc.array(expectation, { maxLength: 2 }),
      writes: fc.array(write, { maxLength: 4 }),
      events: fc.array(
        fc
          .record({ n: fc.integer({ min: 0, max: 99 }), told: fc.boolean() })
          .map(({ n, told }) => ({ ...event({ n }), ...(told ? { type: "change.cancelled" as const } : {}) })),
        { maxLength: 3 }
      )
    },
    { requiredKeys: [] }
  ),
  holdsLease: fc.boolean(),
  step: fc.option(fc.constantFrom("one", "two"), { freq: 3 })
})

const judge = (model: Model, asked: Ask): Verdict => {
  const { events = [], expects = [], writes = [] } = asked.commit
  const refuse = (outcome: string): Verdict => [outcome, model]
  if (
    writes.some(
      (each) =>
        each._tag === "Insert" && each.kind === "change" && !ChangeLifecycle.initial.includes(each.record.status)
    )
  )
    return refuse("defect")
  // Every update says that the Change was `created`: of its steps here only its cancel is told, each by an event of its own.
  const cancels = writes.filter(
    (each) => each._tag === "Update" && each.kind === "change" && each.record.status === "cancelled"
  )
  if (events.filter(({ type }) => type === "change.cancelled").length < cancels.length) return refuse("defect")
  if (asked.step !== null && !asked.holdsLease) return refuse("LeaseLost")
  if (asked.step !== null && model.steps.includes(asked.step)) return refuse("Duplicate")
  const records = new Map(model.records)
  const conflict = (id: string, expected: string): Verdict =>
    refuse(`Conflict ${id} ${expected} ${records.get(id)?.revision ?? null}`)
  for (const each of expects) {
    if (each._tag === "Absent" && records.has(each.id))
      return refuse(`Conflict ${each.id} absent ${records.get(each.id)!.revision}`)
    if (each._tag === "Unchanged" && records.get(each.id)?.revision !== each.revision)
      return conflict(each.id, String(each.revision))
  }
  for (const each of writes) {
    if (each.kind !== "change") throw new Error("only changes are asked for")
    const id = each._tag === "Delete" ? each.id : each.record.id
    const there = records.get(id)
    if (each._tag === "Insert" ? there !== undefined : there?.revision !== each.revision)
      return conflict(id, each._tag === "Insert" ? "absent" : String(each.revision))
    if (each._tag === "Delete") {
      records.delete(id)
      continue
    }
    const { reason, status } = each.record
    if (there !== undefined && !allowed(there.status, status)) return refuse("defect")
    records.set(id, { revision: (there?.revision ?? 0) + 1, status, note: reason ?? "" })
  }
  const added = events.map((each) => Number(each.data["n"]))
  const outcome = `Committed ${added.length === 0 ? "" : `${model.events.length + 1}-${model.events.length + added.length}`}`
  return [
    outcome,
    {
      records,
      events: [...model.events, ...added],
      steps: asked.step === null ? model.steps : [...model.steps, asked.step]
    }
  ]
}

const kept = Effect.fnUntraced(function* (process: string) {
  const page = yield* Effect.flatMap(Records, (records) => records.list("change", { limit: "all" }))
  const events = yield* Effect.flatMap(EventLog, (log) => log.read(projectId(), 0, 100))
  const steps = yield* Effect.flatMap(Journal, (journal) => journal.steps(process))
  return {
    records: page.items.map(({ record, revision: at }) => [
      record.id,
      { revision: at, status: record.status, note: record.reason }
    ]),
    events: events.map((each) => [each.sequence, each.data["n"]]),
    steps: [...steps.keys()]
  }
})

const shape = (model: Model) => ({
  records: [...model.records],
  events: model.events.map((n, index) => [index + 1, n]),
  steps: model.steps
})

const submit = (asked: Ask, lease: Commit["lease"]) =>
  Effect.map(
    Effect.exit(
      commit({
        ...asked.commit,
        ...(asked.step === null || lease === undefined
          ? {}
          : {
              journal: { process: lease.commandId, step: asked.step, result: 1 },
              lease: asked.holdsLease ? lease : { ...lease, token: "another's" }
            })
      })
    ),
    (exit): string => {
      if (Exit.isSuccess(exit))
        return exit.value._tag === "Duplicate"
          ? "Duplicate"
          : `Committed ${exit.value.events === null ? "" : `${exit.value.events.first}-${exit.value.events.last}`}`
      const error = Option.getOrNull(Cause.findErrorOption(exit.cause))
      if (error === null) return "defect"
      return error._tag === "Conflict" ? `Conflict ${error.id} ${error.expected} ${error.actual}` : error._tag
    }
  )

const agree = (asked: ReadonlyArray<Ask>) =>
  Effect.gen(function* () {
    yield* send([command("process")])
    const { lease } = yield* claimOne
    let model: Model = { records: new Map(), events: [], steps: [] }
    for (const each of asked) {
      const [outcome, after] = judge(model, each)
      expect(yield* submit(each, lease)).toBe(outcome)
      model = after
      expect(yield* kept(lease.commandId)).toEqual(shape(model))
    }
  })

/** Tries `runs` random histories on stores of their own: a third of them in a quick run, ten times as many in a long one. */
export const ledgerModel = (name: string, fixture: StoreFixture, runs: number): void => {
  describe(`${name}: Ledger, random histories`, () => {
    it(
      "answers and keeps what a simple model says: all or nothing, conflicts named, steps once",
      () =>
        fc.assert(
          fc.asyncProperty(fc.array(ask, { minLength: 1, maxLength: 20 }), (asked) => onStore(fixture, agree(asked))),
          { numRuns: rounds({ quick: Math.ceil(runs / 3), deep: runs, long: runs * 10 }), seed }
        ),
      600_000
    )
  })
}
