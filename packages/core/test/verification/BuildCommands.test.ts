import { Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { beforeEach, describe, expect, it } from "vitest"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { Commands } from "@pawl/core/work/Commands"
import { demand } from "@pawl/core/ledger/Decision"
import { Limits } from "@pawl/core/primitives/Limits"
import { utf8 } from "@pawl/core/primitives/Digest"
import * as Time from "@pawl/core/primitives/Time"
import { shownBy } from "@pawl/core/harness/TreeChecks"
import type { Workplace } from "@pawl/core/harness/Workplace"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { lockText } from "@pawl/adapters-memory/MemoryPackageStore"
import {
  type BuildWorld,
  evidenceOf,
  made,
  madeProject,
  makeWorld,
  one,
  portsOf,
  served,
  two
} from "../kit/BuildScenes.ts"
import { answers, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, candidateOf } from "../kit/Scenes.ts"
import { pointerOf } from "../kit/ReleaseScenes.ts"

beforeEach(() => {
  answers.clear()
  answers.set("/", page(200))
})

/** Plays a story in a world of its own. */
const play = <A, E>(story: (world: BuildWorld) => Parameters<typeof run<A, E>>[0]) => {
  const world = makeWorld()
  return run(
    Effect.provide(story(world), portsOf(world)).pipe(
      Effect.provide(TestClock.layer()),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )
}

const buildsOf = (world: BuildWorld) => world.jobs.filter(({ command }) => command === "make site")

/** The evidence of `build` of a Candidate whose build command ends in this way. */
const judged = (build: BuildWorld["build"]) =>
  play((world) =>
    Effect.gen(function* () {
      const project = yield* madeProject()
      world.build = build
      world.jobs.length = 0
      const candidate = yield* candidateOf(project.id, "r1", { "page.txt": "another" })
      return { candidate, evidence: (yield* evidenceOf(candidate.id)).get("build"), ran: buildsOf(world).length }
    })
  )

describe("A build command", () => {
  it("makes what is verified, promoted and served, and it alone is taken of what it left", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        expect(yield* served(project.id, "index.html")).toBe("<p>page")
        const candidate = yield* candidateOf(project.id, "r1", { "page.txt": "another" })
        expect(candidate.status).toBe("verified")
        yield* Promotions.promote(person, candidate.id)
        yield* settle
        expect(yield* pointerOf(project.id)).toMatchObject({ status: "live", generation: 1 })
        expect(yield* served(project.id, "index.html")).toBe("<p>another")
        // One build per commit: preview and release serve what the check built.
        expect(buildsOf(world)).toHaveLength(2)
      })
    ))

  it("sees the packages of the lock, as checks do, and the same few variables at every run", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        const candidate = yield* candidateOf(project.id, "r1", { "page.txt": "another" })
        const [first, second] = buildsOf(world)
        expect(new Set(world.jobs.map(({ packages }) => packages)).size).toBe(1)
        expect(first?.packages).toMatch(/^[0-9a-f]{64}$/)
        expect(world.jobs.map(({ command }) => command)).toContain("node --test")
        expect(second?.environment).toEqual({
          CI: "true",
          PAWL: "true",
          NODE_ENV: "production",
          SOURCE_DATE_EPOCH: `${Math.floor(Time.toMillis(candidate.createdAt) / 1000)}`,
          TZ: "UTC",
          LC_ALL: "C.UTF-8"
        })
        expect(second?.collect).toEqual({
          paths: ["public"],
          maxBytes: Limits.buildOutputBytes,
          maxFiles: Limits.buildOutputFiles
        })
      })
    ))

  it("is told to the builder when it begins, with the packages that there are, and when it fails", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        world.asked.length = 0
        yield* candidateOf(project.id, "r1", { "page.txt": "another" })
        expect(world.asked.slice(0, 3)).toEqual(["expect one while make site", "start", "cancel"])
        world.asked.length = 0
        world.build = () => ({ outcome: { _tag: "Exited", code: 1 } })
        yield* candidateOf(project.id, "r2", { "page.txt": "a third" })
        expect(world.asked).toEqual(["expect one while make site", "cancel"])
      })
    ))

  it("of an agent's files is told to the builder in the same way, and nothing begun is left when it fails", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        const source = new Map(
          Object.entries(made).map(([path, text]) => [path, { content: utf8(text), executable: false }])
        )
        const place = {
          job: {
            source: { commit: "0".repeat(40), tree: "0".repeat(40) },
            task: { projectId: project.id, changeId: "chg_1" },
            run: { startedAt: yield* Time.now }
          },
          running: { count: 0 }
        } as unknown as Workplace
        const build = { id: "build", kind: "build", title: "build", required: true, timeoutMs: 1000 } as const
        const built = (name: string) => {
          world.asked.length = 0
          return Effect.map(shownBy(place, [build], name, source), (shown) => shown[0]?.finding.result)
        }
        expect(yield* built("first")).toBe("pass")
        expect(world.asked).toEqual(["expect one while make site", "start", "cancel", "cancel"])
        world.build = () => ({ outcome: { _tag: "Exited", code: 1 } })
        expect(yield* built("second")).toBe("fail")
        expect(world.asked).toEqual(["expect one while make site", "cancel"])
      })
    ))

  it("is not run when the time of the month that checks run is used up", () =>
    play((world) =>
      Effect.gen(function* () {
        const month = `${(yield* Time.now).slice(0, 7)}-01`
        yield* (yield* DailyCounter).add("sandbox-ms", month, Limits.sandboxMsPerMonth)
        const project = yield* madeProject()
        for (let n = 0; n < Limits.commandAttempts; n++) yield* Effect.andThen(TestClock.adjust("6 minutes"), settle)
        expect(yield* pointerOf(project.id)).toMatchObject({
          status: "build_failed",
          reason: expect.stringContaining("no sandbox budget")
        })
        expect(world.jobs).toEqual([])
      })
    ))

  it("that fails refuses the build, with the last lines that it said", async () => {
    const { candidate, evidence, ran } = await judged(() => ({
      outcome: { _tag: "Exited", code: 2 },
      output: "one\nno such file: page.tsx\n"
    }))
    expect(candidate.status).toBe("rejected")
    expect(evidence).toMatchObject({ result: "fail", summary: expect.stringContaining("no such file: page.tsx") })
    expect(evidence?.summary).toContain("The build command ended with exit 2: make site")
    expect(ran).toBe(1)
  })

  it("that fails without a lock, though packages are asked for, is told that they were not there, and what to do", async () => {
    const failing: BuildWorld["build"] = () => ({
      outcome: { _tag: "Exited", code: 127 },
      output: "sh: vite: not found\n"
    })
    const lockless = (manifest: object, more: Readonly<Record<string, string>> = {}) =>
      play((world) =>
        Effect.gen(function* () {
          world.build = failing
          const { "package-lock.json": _lock, ...rest } = made
          const files = { ...rest, ...more, "package.json": JSON.stringify(manifest) }
          const project = yield* madeProject(files)
          return (yield* pointerOf(project.id)).reason
        })
      )
    const asking = { name: "made", devDependencies: { vite: "^7.0.0" } }
    const said = await lockless(asking)
    expect(said).toContain("ended with exit 127: make site")
    expect(said).toContain("There is no lock file")
    expect(said).toContain("`npm install --package-lock-only`")
    expect(said).toContain("sh: vite: not found")
    const linked = await lockless({ name: "made", dependencies: { mine: "workspace:*" } })
    expect(linked).toMatch(/package\.json:1: mine \("workspace:\*"\) is a workspace/)
    expect(linked).not.toContain("lock file")
    expect(await lockless({ name: "made" })).not.toContain("lock file")
    expect(await lockless(asking, { "node_modules/vite/index.js": "" })).not.toContain("lock file")
    expect((await judged(failing)).evidence?.summary).not.toContain("lock file")
  })

  it("that leaves nothing where its output should be is refused, and told where that is", async () => {
    const { evidence } = await judged(() => ({ outcome: { _tag: "Exited", code: 0 }, left: { "dist/a": "x" } }))
    expect(evidence).toMatchObject({ result: "fail", summary: expect.stringContaining("left no file at public") })
  })

  it("that leaves more than may be bundled is refused, and the bounds are named", async () => {
    const left = Object.fromEntries(Array.from({ length: Limits.buildOutputFiles + 1 }, (_, n) => [`public/${n}`, "x"]))
    const { evidence } = await judged(() => ({ outcome: { _tag: "Exited", code: 0 }, left }))
    expect(evidence).toMatchObject({
      result: "fail",
      summary: expect.stringContaining(`more than ${Limits.buildOutputFiles} files`)
    })
  })

  it.each([
    { outcome: { _tag: "TimedOut", afterMs: Limits.buildCommandMs } as const, gap: "timed_out" },
    { outcome: { _tag: "OutOfMemory" } as const, gap: "out_of_memory" },
    { outcome: { _tag: "Killed", signal: "SIGKILL" } as const, gap: "killed" }
  ])("that does not come to its end is a gap ($gap), and is tried again before it is one", async ({ gap, outcome }) => {
    const { evidence, ran } = await judged(() => ({ outcome }))
    expect(evidence).toMatchObject({ result: "gap", gap, attempt: Limits.checkGapAttempts })
    expect(ran).toBe(Limits.checkGapAttempts)
  })
})

describe("A source with a lock", () => {
  it("waits while the registry is away, and its Candidate is verified when it is back", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        // Nobody has this lock yet: its layer has to be made.
        const more = JSON.stringify({ name: "made", dependencies: { one: "^1.0.0", two: "2.0.0" } })
        world.isThere = false
        const { id } = yield* askedFor(project.id, "r1", {
          "package.json": more,
          "package-lock.json": lockText(more, [one, two])
        })
        yield* settle
        for (let n = 0; n < 30; n++) yield* Effect.andThen(TestClock.adjust("1 minutes"), settle)
        expect((yield* demand("candidate", id)).record.status).toBe("verifying")
        world.isThere = true
        for (let n = 0; n < 10; n++) yield* Effect.andThen(TestClock.adjust("1 minutes"), settle)
        const { status } = (yield* demand("candidate", id)).record
        expect([status, (yield* (yield* Commands).deadLetters(project.id)).length]).toEqual(["verified", 0])
      })
    ))

  it("that cannot be used fails its build and its checks, by file and line", () =>
    play(() =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        const lock = made["package-lock.json"]!.replace(/"integrity": "[^"]*"/, '"integrity": "md5-AAAA"')
        const candidate = yield* candidateOf(project.id, "r1", { "package-lock.json": lock })
        expect(candidate.status).toBe("rejected")
        const evidence = yield* evidenceOf(candidate.id)
        expect(evidence.get("build")).toMatchObject({
          result: "fail",
          summary: expect.stringMatching(/^package-lock\.json:\d+: /)
        })
        expect(evidence.get("test")).toMatchObject({ result: "fail", summary: expect.stringContaining("one") })
      })
    ))

  it("is provisioned again after its bundles are gone, with the registry away, from what is kept", () =>
    play((world) =>
      Effect.gen(function* () {
        const project = yield* madeProject()
        const candidate = yield* candidateOf(project.id, "r1", { "page.txt": "another" })
        yield* Promotions.promote(person, candidate.id)
        for (const kind of ["apps", "app-previews"]) yield* (yield* ObjectStore).removePrefix(`${kind}/${project.id}/`)
        world.isThere = false
        yield* settle
        expect(yield* pointerOf(project.id)).toMatchObject({ status: "live", generation: 1 })
      })
    ))
})
