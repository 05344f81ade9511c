import { Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { type Command, commandKinds } from "@pawl/core/model/Command"
import { lanes, Slots } from "@pawl/core/work/Lanes"
import { Limits } from "@pawl/core/primitives/Limits"
import { claim, ids, projectId } from "@pawl/testing/tools/StoreFixtures"
import { held, one, play, slots, turns, working } from "./Working.ts"

const of = (kind: Command["kind"], project: Command["projectId"]): Command => ({
  id: `${kind}:x`,
  kind,
  projectId: project,
  payload: {},
  attempts: 1,
  maxAttempts: 4,
  dueAt: "2030-01-01T00:00:00.000Z",
  createdAt: "2030-01-01T00:00:00.000Z",
  lastProblem: null
})

describe("Lanes of work", () => {
  it("have a place for every kind of command while all are free", () => {
    const room = new Slots(slots).room()
    expect(room?.kinds.toSorted()).toEqual([...commandKinds].toSorted())
    expect(room).toMatchObject({ except: [], isEverything: true })
    expect(Object.keys(slots).toSorted()).toEqual([...lanes].toSorted())
  })

  it("four hanging checks of one Project keep no release of another waiting, nor its own", () =>
    play(
      Effect.gen(function* () {
        const checks = yield* held
        for (const subject of ["a", "b", "c", "d"]) yield* one("candidate.create", subject)
        const released: Array<unknown> = []
        const fiber = yield* working({
          "candidate.create": checks.handler,
          "release.run": (command) => Effect.sync(() => void released.push(command.payload["subject"]))
        })
        expect(checks.begun.times).toBe(4)
        // The clock stands: whatever is done, is done at once.
        yield* one("release.run", "another's", projectId(2))
        yield* one("release.run", "its own")
        yield* turns
        expect(new Set(released)).toEqual(new Set(["another's", "its own"]))
        expect(checks.begun.times).toBe(4)
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("releases of a Project that all wait keep neither a promotion of it nor its lane waiting", () =>
    play(
      Effect.gen(function* () {
        const releases = yield* held
        for (let n = 0; n < slots.canonical; n++) yield* one("release.run", `r${n}`)
        const done: Array<unknown> = []
        const note = (command: Pick<Command, "kind">) => Effect.sync(() => void done.push(command.kind))
        const fiber = yield* working({
          "release.run": releases.handler,
          "candidate.promote": note,
          "lane.step": note
        })
        expect(releases.begun.times).toBe(slots.canonical)
        yield* one("candidate.promote", "x")
        yield* one("lane.step", "x")
        yield* turns
        expect(new Set(done)).toEqual(new Set(["candidate.promote", "lane.step"]))
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("all agents of a Project asleep in calls of models keep no promotion and no check of it waiting", () =>
    play(
      Effect.gen(function* () {
        const agents = yield* held
        for (let n = 0; n < 2 * slots.agents; n++)
          yield* one("agent.wake", `a${n}`, n < slots.agents ? undefined : projectId(2))
        const done: Array<unknown> = []
        const note = (command: Pick<Command, "kind">) => Effect.sync(() => void done.push(command.kind))
        const fiber = yield* working({
          "agent.wake": agents.handler,
          "candidate.promote": note,
          "candidate.create": note,
          "release.run": note
        })
        expect(agents.begun.times).toBeGreaterThanOrEqual(slots.agents)
        // The clock stands: whatever is done, is done at once.
        for (const kind of ["candidate.create", "candidate.promote", "release.run"] as const) yield* one(kind, "x")
        yield* turns
        expect(new Set(done)).toEqual(new Set(["candidate.create", "candidate.promote", "release.run"]))
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("let a lone Project have all of a lane; the next waits unclaimed, and another process may take it", () =>
    play(
      Effect.gen(function* () {
        const checks = yield* held
        for (const subject of ["a", "b", "c", "d", "e"]) yield* one("candidate.create", subject)
        const fiber = yield* working({ "candidate.create": checks.handler })
        expect(checks.begun.subjects).toEqual(["a", "b", "c", "d"])
        expect(ids(yield* claim(5, { leaseMs: Limits.commandLeaseMs }))).toEqual(["candidate.create:e"])
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("take up what waited as soon as a slot is free", () =>
    play(
      Effect.gen(function* () {
        const checks = yield* held
        for (const subject of ["a", "b", "c", "d", "e"]) yield* one("candidate.create", subject)
        const fiber = yield* working({ "candidate.create": checks.handler })
        yield* checks.end
        yield* turns
        expect(checks.begun.subjects).toEqual(["a", "b", "c", "d", "e"])
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("let a Project that has nothing in a full lane begin beside it, and the directory too", () =>
    play(
      Effect.gen(function* () {
        const work = yield* held
        for (let n = 0; n < 9; n++) yield* one("candidate.recompose", `crowd-${n}`)
        const fiber = yield* working({ "candidate.recompose": work.handler, "retention.sweep": work.handler })
        expect(work.begun.times).toBe(4)
        for (const n of [2, 3, 4, 5]) yield* one("candidate.recompose", `second-${n}`, projectId(n))
        yield* one("candidate.recompose", "second-2-again", projectId(2))
        yield* turns
        // Twice the slots, and no more: each of the four others has one.
        expect(work.begun.subjects.slice(4)).toEqual(["second-2", "second-3", "second-4", "second-5"])
        yield* Fiber.interrupt(fiber)
      })
    ))

  it("count by Project, and are free again when the work ends", () => {
    const full = new Slots({ ...slots, verification: 2 }, ["candidate.create", "release.run"])
    const [a, b] = [projectId(1), projectId(2)]
    for (const project of [a, a]) full.take(of("candidate.create", project))
    expect(full.room()).toEqual({
      kinds: ["release.run", "candidate.create"],
      except: [{ projectId: a, kinds: ["candidate.create"] }],
      isEverything: false
    })
    for (const project of [b, null]) full.take(of("candidate.create", project))
    expect(full.room()).toEqual({ kinds: ["release.run"], except: [], isEverything: false })
    for (const project of [a, a, b]) full.free(of("candidate.create", project))
    expect(full.room()).toMatchObject({ except: [], isEverything: true })
  })
})
