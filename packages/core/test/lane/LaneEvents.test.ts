/** What the lane tells of each entry, whole: readers of a webhook see no more of it. And in which order it has things verified. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import * as Removal from "@pawl/core/app/Removal"
import * as Cancellation from "@pawl/core/change/Cancellation"
import { EventLog } from "@pawl/core/event/EventLog"
import { enter, leave, move } from "@pawl/core/lane/LaneEntries"
import { step } from "@pawl/core/lane/LaneSteps"
import type { Commit } from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import type { EventType } from "@pawl/core/model/Event"
import type { NewCommand } from "@pawl/core/model/Command"
import * as Time from "@pawl/core/primitives/Time"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import { frozenFor, outcome, racing, worked } from "../kit/LaneScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { carriedOn, entered, laneProject } from "../why/LaneScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** What events of a type told, with what they are about. */
const told = (projectId: string, type: EventType) =>
  Effect.gen(function* () {
    const events = yield* (yield* EventLog).read(projectId, 0, 1000)
    return events.filter((each) => each.type === type).map(({ data, subject }) => [subject, data])
  })

const broken = { "result.txt": "broken" }

describe("What the lane tells", () => {
  it("of who enters: its number, how urgent it is, and as whose wish it lands", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* frozenFor(1)
        const [own] = yield* racing(projectId, [{ "a.txt": "a" }])
        yield* settle
        const changeId = yield* worked(projectId, "b", { "b.txt": "b" })
        const { entry } = yield* enter(person, { changeId, priority: "urgent" })
        const [first] = (yield* outcome(projectId)).entries
        expect(yield* told(projectId, "lane.entered")).toEqual([
          [first?.id, { changeId: own, ticket: 1, priority: "normal", trigger: "auto" }],
          [entry.id, { changeId, ticket: 2, priority: "urgent", trigger: "user" }]
        ])
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("of who is in doubt: which Candidate failed, and of what", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        yield* entered(projectId, "a", { "a.txt": "a" })
        const { changeId, id } = yield* entered(projectId, "b", broken)
        yield* carriedOn(projectId)
        const { candidateId, status } = (yield* demand("laneEntry", id)).record
        const { reason } = (yield* demand("candidate", candidateId ?? "")).record
        expect(status).toBe("doubtful")
        expect(reason).toContain("test")
        expect(yield* told(projectId, "lane.doubted")).toEqual([[id, { changeId, candidateId, reason }]])
        expect(yield* told(projectId, "lane.left")).toEqual([])
      })
    ))

  it("of who is out: how, by which code, by whom, and which generation it is when it landed", () =>
    run(
      Effect.gen(function* () {
        const projectId = yield* laneProject()
        const line = yield* Effect.forEach(["landed", "failed", "withdrawn", "cancelled"], (name) =>
          entered(projectId, name, name === "failed" ? broken : { [`${name}.txt`]: name })
        )
        const [landed, failed, withdrawn, cancelled] = line
        yield* carriedOn(projectId)
        yield* leave(person, withdrawn?.changeId ?? "")
        yield* Cancellation.cancel(person, cancelled?.changeId ?? "")
        yield* settle
        const saidOf = (entry: (typeof line)[number] | undefined, data: Record<string, unknown>) => [
          entry?.id,
          { changeId: entry?.changeId, ...data }
        ]
        const ends = yield* told(projectId, "lane.left")
        expect(ends).toHaveLength(4)
        expect(ends).toEqual(
          expect.arrayContaining([
            saidOf(landed, { outcome: "landed", code: "landed", by: person.id, generation: 1 }),
            saidOf(failed, { outcome: "rejected", code: "checks_failed", by: null }),
            saidOf(withdrawn, { outcome: "left", code: "withdrawn", by: person.id }),
            saidOf(cancelled, { outcome: "left", code: "change_cancelled", by: null })
          ])
        )
      })
    ))
})

/** What is sent by the commits of a piece of work, of one kind. */
const sent = <A, E, R>(kind: NewCommand["kind"], work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const commands: Array<NewCommand> = []
    const watching: Around = ({ args }, effect) => {
      commands.push(...((args[0] as Commit).commands ?? []))
      return effect
    }
    yield* Effect.provideService(work, Ledger, wrap(Ledger, yield* Ledger, watching))
    return commands.filter((each) => each.kind === kind)
  })

it("has Candidates verified in the order of the line, each as long as it has waited in it", () =>
  run(
    Effect.gen(function* () {
      const projectId = yield* laneProject()
      yield* TestClock.adjust("1 hour")
      const line = yield* Effect.forEach(["a", "b", "c"], (name) => entered(projectId, name, { [`${name}.txt`]: name }))
      yield* move(person, line[2]?.id ?? "", line[0]?.id)
      yield* TestClock.adjust("1 hour")
      const commands = yield* sent("candidate.create", carriedOn(projectId))
      const since = Time.toMillis(line[0]?.enteredAt ?? Time.fromMillis(0))
      expect(since).toBe(3_600_000)
      const { entries } = yield* outcome(projectId)
      const idOf = (n: number) => entries.find(({ id }) => id === line[n]?.id)?.candidateId
      expect(commands.map(({ order, payload }) => [payload["candidateId"], order])).toEqual([
        [idOf(2), since + 1],
        [idOf(0), since + 2],
        [idOf(1), since + 3]
      ])
    }).pipe(Effect.provide(TestClock.layer()))
  ))

it("goes on when the app of its Project is removed: the head is touched, nothing is made anew, and all land", () =>
  run(
    Effect.gen(function* () {
      const projectId = yield* laneProject()
      yield* entered(projectId, "live", { "live.txt": "live" })
      yield* settle
      for (const name of ["a", "b"]) yield* entered(projectId, name, { [`${name}.txt`]: name })
      yield* carriedOn(projectId)
      const before = { head: yield* demand("head", projectId), ...(yield* outcome(projectId)) }
      expect(before.ends).toEqual(["landed landed", "ready", "ready"])
      yield* Removal.remove(person, projectId)
      const head = yield* demand("head", projectId)
      expect([head.revision > before.head.revision, head.record]).toEqual([true, before.head.record])
      yield* step(projectId)
      yield* settle
      const { ends, entries, generation } = yield* outcome(projectId)
      expect([generation, ends]).toEqual([3, ["landed landed", "landed landed", "landed landed"]])
      expect(entries.map(({ candidateId }) => candidateId)).toEqual(
        before.entries.map(({ candidateId }) => candidateId)
      )
      expect((yield* demand("pointer", `${projectId}/production`)).record.status).toBe("removed")
    })
  ))
