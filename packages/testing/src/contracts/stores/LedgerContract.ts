/** What every Ledger promises: all or nothing, conflicts named, steps, leases, lives, one dense sequence. */
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Commands } from "@pawl/core/work/Commands"
import { EventLog } from "@pawl/core/event/EventLog"
import { absent, type Commit, insert, type Stored, update, type Write } from "@pawl/core/ledger/Commit"
import { Journal } from "@pawl/core/work/Journal"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  change,
  changeId,
  claim,
  claimOne,
  command,
  commit,
  commitOf,
  defect,
  event,
  failure,
  fingerprint,
  head,
  ids,
  onStore,
  projectId,
  race,
  revisionOf,
  seedChanges,
  send,
  stored,
  type StoreFixture,
  token
} from "../../tools/StoreFixtures.ts"

const stale = <A>(found: Stored<A>): Stored<A> => ({ ...found, revision: found.revision + 7 })

/** Declares the suite. Each of its tests has a store of its own. */
export const ledgerContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: Ledger`, () => {
    promise(
      "applies records, events, commands and the journal step together",
      Effect.gen(function* () {
        yield* send([command("a")])
        const { lease } = yield* claimOne
        const outcome = yield* commit({
          writes: [insert("change", change()), insert("head", head())],
          events: [event({ n: 1 }), event({ n: 2 })],
          commands: [command("b")],
          journal: { process: lease.commandId, step: "one", result: { ok: [1, "ä"] } },
          lease
        })
        expect(outcome).toEqual({ _tag: "Committed", events: { first: 1, last: 2 } })
        expect(yield* stored("change", changeId())).toEqual({ record: change(), revision: 1 })
        expect(
          (yield* Effect.flatMap(EventLog, (log) => log.read(projectId(), 0, 10))).map((each) => each.data)
        ).toEqual([{ n: 1 }, { n: 2 }])
        expect((yield* Effect.flatMap(Journal, (journal) => journal.steps(lease.commandId))).get("one")).toEqual({
          ok: [1, "ä"]
        })
        expect(ids(yield* claim(5))).toEqual(["agent.wake:b"])
      })
    )

    promise(
      "changes nothing when any one part of a commit cannot be, wherever it stands",
      Effect.gen(function* () {
        yield* seedChanges(3)
        yield* send([command("a")])
        const { lease } = yield* claimOne
        const [one, two, three] = [
          yield* stored("change", changeId(1)),
          yield* stored("change", changeId(2)),
          yield* stored("change", changeId(3))
        ]
        const good: ReadonlyArray<Write> = [
          update("change", one, { reason: "x" }),
          insert("change", change(4)),
          { _tag: "Delete", kind: "change", id: changeId(2), revision: two.revision },
          update("change", three, { status: "compiling" }),
          insert("head", head())
        ]
        const bad: ReadonlyArray<Write> = [
          update("change", stale(one), { reason: "y" }),
          insert("change", change(1)),
          { _tag: "Delete", kind: "change", id: changeId(9), revision: 1 },
          update("change", { record: change(8), revision: 1 }, {}),
          update("change", one, { status: "completed" }),
          insert("change", change(7, { status: "running" }))
        ]
        const rest = {
          events: [event()],
          commands: [command("b")],
          journal: { process: lease.commandId, step: "s", result: 1 },
          lease
        }
        const attempts: Array<Partial<Commit>> = []
        for (let position = 0; position <= good.length; position++)
          for (const write of bad)
            attempts.push({ ...rest, writes: [...good.slice(0, position), write, ...good.slice(position)] })
        attempts.push({ ...rest, writes: good, expects: [absent("change", changeId(1))] })
        attempts.push({
          ...rest,
          writes: good,
          expects: [{ _tag: "Unchanged", kind: "change", id: changeId(1), revision: 9 }]
        })
        attempts.push({ ...rest, writes: good, lease: { ...lease, token: "other" } })
        const before = yield* fingerprint([lease.commandId])
        for (const attempt of attempts) {
          expect(Exit.isFailure(yield* Effect.exit(commit(attempt)))).toBe(true)
          expect(yield* fingerprint([lease.commandId])).toBe(before)
        }
        expect(yield* claim(5)).toEqual([])
        expect((yield* commit({ ...rest, writes: good }))._tag).toBe("Committed")
      })
    )

    promise(
      "names the first expectation that no longer holds: expects before writes, each in order",
      Effect.gen(function* () {
        yield* seedChanges(2)
        const one = yield* stored("change", changeId(1))
        const conflict = (parts: Partial<Commit>) =>
          Effect.map(failure(commit(parts)), (error) => JSON.parse(JSON.stringify(error)))
        const fact = (n: number, expected: string, actual: string | null) => ({
          _tag: "Conflict",
          kind: "change",
          id: changeId(n),
          expected,
          actual
        })
        expect(yield* conflict({ writes: [insert("change", change(2))] })).toEqual(fact(2, "absent", "1"))
        expect(yield* conflict({ writes: [update("change", stale(one), {})] })).toEqual(fact(1, "8", "1"))
        expect(yield* conflict({ writes: [update("change", { record: change(5), revision: 3 }, {})] })).toEqual(
          fact(5, "3", null)
        )
        expect(yield* conflict({ writes: [{ _tag: "Delete", kind: "change", id: changeId(5), revision: 1 }] })).toEqual(
          fact(5, "1", null)
        )
        const expects = [
          absent("change", changeId(7)),
          { _tag: "Unchanged" as const, kind: "change" as const, id: changeId(2), revision: 4 },
          absent("change", changeId(1))
        ]
        expect(yield* conflict({ expects, writes: [insert("change", change(1))] })).toEqual(fact(2, "4", "1"))
        expect(yield* conflict({ expects: [absent("change", changeId(1))] })).toEqual(fact(1, "absent", "1"))
        expect(
          yield* conflict({
            writes: [insert("head", head()), update("change", stale(one), {}), insert("change", change(2))]
          })
        ).toEqual(fact(1, "8", "1"))
      })
    )

    promise(
      "lets a commit write one record more than once, each write upon the one before",
      Effect.gen(function* () {
        yield* commit({
          writes: [
            insert("change", change()),
            update("change", { record: change(), revision: 1 }, { status: "compiling" })
          ]
        })
        expect((yield* stored("change", changeId())).revision).toBe(2)
        const found = yield* stored("change", changeId())
        yield* commit({
          writes: [{ _tag: "Delete", kind: "change", id: changeId(), revision: 2 }, insert("change", change())]
        })
        expect((yield* stored("change", changeId())).record.status).toBe("created")
        expect((yield* failure(commit({ writes: [update("change", found, {})] })))._tag).toBe("Conflict")
      })
    )

    promise(
      "gives a token's hash to one token only",
      Effect.gen(function* () {
        yield* commit({ projectId: null, writes: [insert("token", token(1, 1)), insert("token", token(2, 2))] })
        expect((yield* failure(commit({ projectId: null, writes: [insert("token", token(3, 1))] })))._tag).toBe(
          "Conflict"
        )
        expect(
          (yield* failure(
            commit({
              projectId: null,
              writes: [update("token", { record: token(2, 2), revision: 1 }, { hash: token(1, 1).hash })]
            })
          ))._tag
        ).toBe("Conflict")
        yield* commit({
          projectId: null,
          writes: [update("token", { record: token(2, 2), revision: 1 }, { name: "other" })]
        })
      })
    )

    promise(
      "does not repeat a journalled step",
      Effect.gen(function* () {
        yield* send([command("a")])
        const { lease } = yield* claimOne
        const journal = { process: lease.commandId, step: "one", result: null }
        yield* commit({ journal, lease, writes: [insert("change", change(1))] })
        expect(yield* commit({ journal, lease, writes: [insert("change", change(2))] })).toEqual({ _tag: "Duplicate" })
        expect(yield* revisionOf("change", changeId(2))).toBe(null)
      })
    )

    promise(
      "refuses the work of a lease that is over, that is another's, or that never was",
      Effect.gen(function* () {
        yield* send([command("a")])
        const first = yield* claimOne
        const work = { writes: [insert("change", change())] }
        expect(yield* failure(commit({ ...work, lease: { commandId: "agent.wake:none", token: "t" } }))).toMatchObject({
          _tag: "LeaseLost"
        })
        yield* TestClock.adjust(1000)
        expect(yield* failure(commit({ ...work, lease: first.lease }))).toMatchObject({
          _tag: "LeaseLost",
          commandId: "agent.wake:a"
        })
        const second = yield* claimOne
        expect(yield* failure(commit({ ...work, lease: first.lease }))).toMatchObject({ _tag: "LeaseLost" })
        yield* commit({ ...work, lease: second.lease })
        yield* Effect.flatMap(Commands, (commands) => commands.finish(second.lease))
        expect(yield* failure(commit({ lease: second.lease }))).toMatchObject({ _tag: "LeaseLost" })
      })
    )

    promise(
      "begins and moves a status only as its lifecycle allows",
      Effect.gen(function* () {
        yield* seedChanges(1)
        const found = yield* stored("change", changeId())
        expect(yield* defect(commit({ writes: [insert("change", change(2, { status: "promoting" }))] }))).toMatchObject(
          { name: "BadCommit" }
        )
        expect(yield* defect(commit({ writes: [update("change", found, { status: "completed" })] }))).toMatchObject({
          name: "BadCommit"
        })
        expect(
          (yield* failure(commit({ writes: [update("change", stale(found), { status: "completed" })] })))._tag
        ).toBe("Conflict")
        yield* commit({ writes: [update("change", found, { status: "created" })] })
        yield* commit({ writes: [update("change", yield* stored("change", changeId()), { status: "compiling" })] })
        expect((yield* stored("change", changeId())).record.status).toBe("compiling")
      })
    )

    promise(
      "takes a step of a life only with the events that tell of it",
      Effect.gen(function* () {
        yield* seedChanges(1)
        const found = yield* stored("change", changeId())
        const cancel = { writes: [update("change", found, { status: "cancelled" })] }
        expect(String(yield* defect(commit(cancel)))).toContain("without change.cancelled")
        expect(String(yield* defect(commit({ ...cancel, events: [event()] })))).toContain("without change.cancelled")
        expect(yield* stored("change", changeId())).toEqual(found)
        const told = event({}, "change.cancelled")
        yield* commit({ ...cancel, events: [event(), told] })
        expect((yield* stored("change", changeId())).record.status).toBe("cancelled")
        // Two steps need two events.
        yield* commit({ writes: [insert("change", change(2)), insert("change", change(3))] })
        const others = [yield* stored("change", changeId(2)), yield* stored("change", changeId(3))]
        const both = { writes: others.map((other) => update("change", other, { status: "cancelled" })) }
        expect(String(yield* defect(commit({ ...both, events: [told] })))).toContain("without change.cancelled")
        yield* commit({ ...both, events: [told, told] })
      })
    )

    promise(
      "keeps a passing step as any other, and takes a commit of more than a step that says so for a defect",
      Effect.gen(function* () {
        yield* send([command("a")])
        const { lease } = yield* claimOne
        const journal = { process: lease.commandId, step: "one", result: { ok: 1 } }
        const passing = { journal, lease, keeping: "passing" } as const
        expect(yield* commit(passing)).toMatchObject({ _tag: "Committed" })
        expect(yield* commit(passing)).toEqual({ _tag: "Duplicate" })
        expect((yield* Effect.flatMap(Journal, (found) => found.steps(lease.commandId))).get("one")).toEqual({ ok: 1 })
        const beside = { ...passing, journal: { ...journal, step: "two" }, commands: [command("b")] }
        for (const each of [beside, { keeping: "passing" as const, commands: [command("b")] }])
          expect(yield* defect(commit(each))).toMatchObject({ name: "BadCommit" })
      })
    )

    promise(
      "takes a commit that is too large, or out of its scope, for a defect",
      Effect.gen(function* () {
        const many = Array.from({ length: Limits.commitRows + 1 }, (_, n) => command(String(n)))
        expect(String(yield* defect(commit({ commands: many })))).toContain("commitRows")
        expect(
          String(yield* defect(commit({ events: [event({ text: "ä".repeat(Limits.commitBytes / 2) })] })))
        ).toContain("commitBytes")
        yield* commit({ commands: many.slice(1) })
        expect(yield* defect(commit({ projectId: projectId(2), writes: [insert("change", change())] }))).toMatchObject({
          name: "BadCommit"
        })
        expect(yield* defect(commit({ projectId: null, events: [event()] }))).toMatchObject({ name: "BadCommit" })
      })
    )

    promise(
      "numbers the events of 32 racing fibers densely, each Project by itself",
      Effect.gen(function* () {
        const each = Array.from({ length: 32 }, (_, n) =>
          commit({ projectId: projectId(1 + (n % 2)), events: [event({ n }), event({ n })] })
        )
        expect((yield* race(each)).every(Exit.isSuccess)).toBe(true)
        for (const project of [1, 2]) {
          const events = yield* Effect.flatMap(EventLog, (log) => log.read(projectId(project), 0, 100))
          expect(events.map((one) => one.sequence)).toEqual(Array.from({ length: 32 }, (_, n) => n + 1))
          for (let i = 0; i < 32; i += 2) expect(events[i]!.data).toEqual(events[i + 1]!.data)
          expect(new Set(events.map((one) => one.id)).size).toBe(32)
        }
      })
    )

    promise(
      "lets one of 32 racing inserts win, and one of 32 racing updates",
      Effect.gen(function* () {
        const inserted = yield* race(
          Array.from({ length: 32 }, (_, n) =>
            commit({ writes: [insert("change", change(1, { reason: `${n}` }))], events: [event({ n })] })
          )
        )
        expect(inserted.filter(Exit.isSuccess)).toHaveLength(1)
        const found = yield* stored("change", changeId())
        const updated = yield* race(
          Array.from({ length: 32 }, (_, n) =>
            commit({ writes: [update("change", found, { reason: `${n}` })], events: [event({ n })] })
          )
        )
        expect(updated.filter(Exit.isSuccess)).toHaveLength(1)
        expect((yield* stored("change", changeId())).revision).toBe(2)
        expect(yield* Effect.flatMap(EventLog, (log) => log.read(projectId(), 0, 100))).toHaveLength(2)
      })
    )

    promise(
      "loses no update of 32 fibers that read and decide anew",
      Effect.gen(function* () {
        yield* seedChanges(1)
        const spend = Effect.gen(function* () {
          const found = yield* stored("change", changeId())
          yield* Effect.yieldNow
          yield* commit({ writes: [update("change", found, { spentUsd: found.record.spentUsd + 1 })] })
        }).pipe(Effect.retry({ times: 100 }))
        expect((yield* race(Array.from({ length: 32 }, () => spend))).every(Exit.isSuccess)).toBe(true)
        expect((yield* stored("change", changeId())).record.spentUsd).toBe(32)
      })
    )

    promise(
      "commits nothing when asked for nothing, and still guards",
      Effect.gen(function* () {
        expect(yield* commit()).toEqual({ _tag: "Committed", events: null })
        expect(yield* commit({ expects: [absent("change", changeId())] })).toEqual({ _tag: "Committed", events: null })
        expect(commitOf().name).toBe("Test.commit")
        expect(
          ids(yield* Effect.flatMap(Commands, (all) => all.claim({ worker: "w", kinds: [], limit: 5, leaseMs: 1 })))
        ).toEqual([])
      })
    )
  })
}
