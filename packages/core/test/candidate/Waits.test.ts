/** What a Candidate waits for, told where people look: tries that show nothing, and machinery that is away. */
import { Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { lockText } from "@pawl/adapters-memory/MemoryPackageStore"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import { why } from "@pawl/core/why/Why"
import { type BuildWorld, madeProject, makeWorld, one, portsOf, two } from "../kit/BuildScenes.ts"
import { run, settle } from "../kit/MemoryPawl.ts"
import { askedFor } from "../kit/Scenes.ts"

const play = <A, E>(story: (world: BuildWorld) => Parameters<typeof run<A, E>>[0]) => {
  const world = makeWorld()
  return run(
    Effect.provide(story(world), portsOf(world)).pipe(
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
}

describe("A build command that never ends", () => {
  it("says after each try what ran, how long, which try it was and when the next began, until it is a gap", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        world.takesMs = Limits.buildCommandMs
        world.build = ({ limits }) => ({
          outcome: { _tag: "TimedOut", afterMs: limits.wallMs },
          output: "watching for changes\n"
        })
        const { id } = yield* askedFor(project.id, "r1", { "page.txt": "another" })
        const working = yield* Effect.forkChild(settle, { startImmediately: true })
        expect(yield* why(id)).toMatchObject({ waits: [] })
        for (const [attempt, at] of [
          [1, "1970-01-01T00:05:00.000Z"],
          [2, "1970-01-01T00:10:00.000Z"]
        ] as const) {
          yield* TestClock.adjust(Limits.buildCommandMs)
          const said = yield* why(id)
          expect(said.candidate.status).toBe("verifying")
          expect(said.waits).toEqual([
            {
              checkId: "build",
              reason: "the build command did not finish: no end after 300 s: make site\nwatching for changes",
              attempt,
              attempts: 3,
              tookMs: Limits.buildCommandMs,
              at,
              again: at
            }
          ])
          const words = `try ${attempt} of 3 showed nothing, and the next runs: the build command did not finish: no end after 300 s: make site`
          expect(said.checks.find(({ checkId }) => checkId === "build")?.summary).toContain(words)
          expect(said.blocks).toContainEqual({ code: "check_gap", detail: `build: gap (${words})` })
          expect(said.next).toEqual({ code: "waiting", wait: said.waits[0] })
        }
        yield* TestClock.adjust(Limits.buildCommandMs)
        yield* Fiber.join(working)
        const said = yield* why(id)
        expect(said).toMatchObject({ candidate: { status: "rejected" }, waits: [] })
        expect(said.checks[0]).toMatchObject({ checkId: "build", verdict: "gap" })
        expect(said.checks[0]?.summary).toContain("no end after 300 s: make site")
        expect(said.next).toMatchObject({ code: "checks_could_not_run", checkIds: ["build"] })
      })
    ))
})

describe("A check that shows something at a later try", () => {
  it("waits for nothing any more", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        const builds = world.build
        world.build = () => {
          world.build = builds
          return { outcome: { _tag: "Killed", signal: "SIGKILL" } }
        }
        const { id } = yield* askedFor(project.id, "r1", { "page.txt": "another" })
        yield* settle
        expect((yield* demand("candidate", id)).record).toMatchObject({ status: "verified", waits: [] })
      })
    ))
})

describe("A registry that is away", () => {
  it("is named by what waits for it, with the time of the next look, and no more when it is back", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        const more = JSON.stringify({ name: "made", dependencies: { one: "^1.0.0", two: "2.0.0" } })
        world.isThere = false
        const { id } = yield* askedFor(project.id, "r1", {
          "package.json": more,
          "package-lock.json": lockText(more, [one, two])
        })
        yield* settle
        const said = yield* why(id)
        expect(said.waits).toMatchObject([{ checkId: null, attempt: null, again: "1970-01-01T00:00:01.000Z" }])
        expect(said.waits[0]?.reason).toContain("https://registry.npmjs.org")
        expect(said.next).toMatchObject({ code: "waiting" })
        world.isThere = true
        yield* TestClock.adjust("1 minutes")
        yield* settle
        expect(yield* why(id)).toMatchObject({ candidate: { status: "verified" }, waits: [] })
      })
    ))
})
