import { Effect } from "effect"
import { beforeEach, describe, expect, it } from "vitest"
import { tampered } from "../audit/AuditCrimes.ts"
import * as Audits from "@pawl/core/audit/Audits"
import * as Policies from "@pawl/core/approval/Policies"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import type { Evidence } from "@pawl/core/model/Evidence"
import { demand } from "@pawl/core/ledger/Decision"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import * as Time from "@pawl/core/primitives/Time"
import { releaseId } from "@pawl/core/primitives/Ids"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { why } from "@pawl/core/why/Why"
import { type Closed, inClosed, reusing, rowsOf } from "../kit/ClosedSandbox.ts"
import { answers, page, person, settle } from "../kit/MemoryPawl.ts"
import { askedFor, candidateOf } from "../kit/Scenes.ts"

const edit = { "src/index.js": "export default { fetch: () => new Response('two') }" }

/** What was taken of the day's builds and of the month's time in sandboxes. */
const taken = Effect.gen(function* () {
  const counter = yield* DailyCounter
  const day = (yield* Time.now).slice(0, 10)
  return {
    builds: yield* counter.used("app-builds", day),
    sandboxMs: yield* counter.used("sandbox-ms", `${day.slice(0, 8)}01`)
  }
})

/** Two Candidates of the same tree, the second asked for as `second` says. */
const twice = (
  evidenceReuse: "none" | "tree" | "inputs",
  second: (
    closed: Closed,
    first: Readonly<Record<string, Evidence | undefined>>
  ) => Effect.Effect<void, unknown, ObjectStore> = () => Effect.void,
  change: (row: Evidence) => Evidence = (row) => row
) =>
  inClosed((closed) =>
    Effect.gen(function* () {
      const project = yield* reusing(evidenceReuse)
      const one = yield* candidateOf(project.id, "one", edit)
      const first = yield* rowsOf(one.id)
      const runs = closed.jobs.length
      yield* second(closed, first)
      const before = yield* taken
      const two = yield* candidateOf(project.id, "two", edit).pipe(
        tampered((kind, record) => (kind === "evidence" ? (change(record as Evidence) as typeof record) : record))
      )
      const charged = yield* taken
      const told = (yield* why(two.id)).checks
      return { one, two, first, rows: yield* rowsOf(two.id), runs: closed.jobs.length - runs, before, charged, told }
    })
  )

const aged = (row: Evidence, ms: number): Evidence => ({
  ...row,
  finishedAt: Time.fromMillis(Time.toMillis(row.finishedAt) - ms)
})

describe("Evidence of before", () => {
  beforeEach(() => {
    answers.clear()
    answers.set("/", page(200))
  })

  it("counts again for the same tree: nothing is run, built or charged, and the row names the one that it repeats", async () => {
    const { before, charged, first, one, rows, runs, told, two } = await twice("tree")
    expect({ runs, charged, status: two.status, tree: two.tree }).toEqual({
      runs: 0,
      charged: before,
      status: "verified",
      tree: one.tree
    })
    for (const id of ["build", "test"]) {
      expect(rows[id]).toMatchObject({
        reuses: first[id]?.id,
        subject: { candidateId: two.id },
        commit: two.commit,
        tree: two.tree,
        result: "pass",
        outputKey: first[id]?.outputKey,
        outputDigest: first[id]?.outputDigest,
        checkDigest: first[id]?.checkDigest,
        runnerDigest: first[id]?.runnerDigest
      })
      expect(first[id]?.reuses).toBeUndefined()
    }
    expect(two.commit).not.toBe(one.commit)
    expect(told.map(({ repeats }) => repeats)).toEqual(
      told.map(({ checkId }) => ({
        evidenceId: first[checkId]?.id,
        candidateId: one.id,
        by: "tree",
        finishedAt: first[checkId]?.finishedAt
      }))
    )
  })

  it("never counts where the Policy does not say so", async () => {
    const { rows, runs, told } = await twice("none")
    expect(runs).toBe(1)
    expect(told.every((check) => !("repeats" in check) && !("retried" in check))).toBe(true)
    expect(rows["test"]?.reuses).toBeUndefined()
    expect(rows["build"]?.reuses).toBeUndefined()
    expect(rows["build"]?.runnerDigest).toBeUndefined()
  })

  it.each<readonly [what: string, change: (row: Evidence) => Evidence]>([
    ["it is older than a day", (row) => aged(row, 86_400_001)],
    ["it failed once on this tree", (row) => ({ ...row, result: "fail", status: "checked_unsupported" })],
    ["it could not be told", (row) => ({ ...row, result: "gap", status: "not_checked" })],
    ["it asked for something else", (row) => ({ ...row, checkDigest: "0".repeat(64) })],
    ["nobody knows what it asked", ({ checkDigest: _, ...row }) => row],
    ["something else ran it", (row) => ({ ...row, runnerDigest: "0".repeat(64) })],
    ["it repeats another itself", (row) => ({ ...row, reuses: row.id })],
    ["it was waived", (row) => ({ ...row, waived: { reason: "flaky", until: "2099-01-01T00:00:00.000Z" } })],
    ["its sandbox was open", (row) => ({ ...row, runner: { ...row.runner, guarantees: ["network-denied"] } })],
    ["it is of another tree", (row) => ({ ...row, tree: "0".repeat(40) })]
  ])("does not count when %s", async (_, change) => {
    const { first, runs } = await twice("tree", undefined, (row) => (row.checkId === "test" ? change(row) : row))
    expect(runs).toBe(1)
    expect(first["test"]?.result).toBe("pass")
  })

  it.each<readonly [what: string, second: Parameters<typeof twice>[1]]>([
    [
      "its tools",
      (closed) => Effect.sync(() => void (closed.isolation = { ...closed.isolation, tools: "b2".repeat(32) }))
    ],
    ["its version", (closed) => Effect.sync(() => void (closed.isolation = { ...closed.isolation, version: "2" }))],
    [
      "what it guarantees",
      (closed) =>
        Effect.sync(() => {
          const guarantees = ["clean-environment", "network-denied", "user-dropped"] as const
          closed.isolation = { ...closed.isolation, guarantees }
        })
    ],
    [
      "that its tools can be told",
      (closed) =>
        Effect.sync(() => {
          const { guarantees, name, version } = closed.isolation
          closed.isolation = { name, version, guarantees }
        })
    ]
  ])("does not count when the sandbox is another by now: %s", async (_, second) => {
    expect((await twice("tree", second)).runs).toBe(1)
  })

  it("does not count when its output is not kept", async () => {
    const { runs } = await twice("tree", (_, first) =>
      Effect.flatMap(ObjectStore, (objects) => objects.remove(first["test"]?.outputKey ?? ""))
    )
    expect(runs).toBe(1)
  })

  it("is always the first-hand row, however often it counts", () =>
    inClosed((closed) =>
      Effect.gen(function* () {
        const project = yield* reusing("tree")
        const one = yield* rowsOf((yield* candidateOf(project.id, "one", edit)).id)
        yield* candidateOf(project.id, "two", edit)
        const three = yield* rowsOf((yield* candidateOf(project.id, "three", edit)).id)
        expect(three["test"]?.reuses).toBe(one["test"]?.id)
        expect(closed.jobs).toHaveLength(1)
      })
    ))

  it("is promoted with a bundle of its own commit, served as that of the same tree, and an audit finds nothing", () =>
    inClosed(() =>
      Effect.gen(function* () {
        const project = yield* reusing("tree")
        const one = yield* candidateOf(project.id, "one", edit)
        const two = yield* candidateOf(project.id, "two", edit)
        const rows = yield* rowsOf(two.id)
        yield* Promotions.promote(person, two.id)
        yield* settle
        const release = (yield* demand("release", releaseId(project.id, 1))).record
        expect(release).toMatchObject({ status: "deployed", bundleSource: "same_tree" })
        const pointer = (yield* demand("pointer", `${project.id}/production`)).record
        expect(pointer).toMatchObject({ commit: two.commit, bundleDigest: rows["build"]?.bundleDigest })
        expect(rows["build"]?.bundleDigest).not.toBe((yield* rowsOf(one.id))["build"]?.bundleDigest)
        expect((yield* Audits.examine(project.id)).findings).toEqual([])
      })
    ))

  it("of a build tells anew which changed files are part of it: the base may be another", () =>
    inClosed(() =>
      Effect.gen(function* () {
        const project = yield* reusing("tree")
        const words = { "src/words.txt": "hello" }
        const one = yield* candidateOf(project.id, "one", words)
        const two = yield* candidateOf(project.id, "two", words)
        expect((yield* rowsOf(two.id))["build"]?.inputs).toEqual((yield* rowsOf(one.id))["build"]?.inputs)
      })
    ))
})

const declared = { checks: [{ id: "test", command: "node --test", inputs: ["src/**", "result.txt"] }] }

describe("Evidence of the same declared inputs", () => {
  it("counts for another tree, and the check sees no other file", () =>
    inClosed((closed) =>
      Effect.gen(function* () {
        const project = yield* reusing("inputs", declared)
        const one = yield* candidateOf(project.id, "one", edit)
        const two = yield* candidateOf(project.id, "two", { ...edit, "README.md": "words" })
        const [first, rows] = [yield* rowsOf(one.id), yield* rowsOf(two.id)]
        expect(closed.jobs.map((job) => [...job.files.keys()].sort())).toEqual([["result.txt", "src/index.js"]])
        expect(rows["test"]).toMatchObject({ reuses: first["test"]?.id, tree: two.tree, result: "pass" })
        const told = (yield* why(two.id)).checks.map(({ checkId, repeats }) => [
          checkId,
          repeats?.evidenceId,
          repeats?.by
        ])
        expect(told).toContainEqual(["test", first["test"]?.id, "inputs"])
        expect(told).toContainEqual(["build", undefined, undefined])
        expect(rows["test"]?.inputsDigest).toBe(first["test"]?.inputsDigest)
        expect(two.tree).not.toBe(one.tree)
        // What has no declared inputs stands on the whole tree.
        expect(rows["build"]?.reuses).toBeUndefined()
      })
    ))

  it("does not count when one of them is another, nor by a Policy that counts trees alone", () =>
    inClosed((closed) =>
      Effect.gen(function* () {
        const project = yield* reusing("inputs", declared)
        yield* candidateOf(project.id, "one", edit)
        yield* candidateOf(project.id, "two", { "src/other.js": "more" })
        expect(closed.jobs).toHaveLength(2)
        yield* Policies.change(person, project.id, { evidenceReuse: "tree" })
        yield* candidateOf(project.id, "three", { ...edit, "README.md": "words" })
        expect(closed.jobs).toHaveLength(3)
      })
    ))

  it("counts nothing for a Candidate that touches pawl.json, which is of high risk and needs an approval", () =>
    inClosed((closed) =>
      Effect.gen(function* () {
        const project = yield* reusing("inputs", declared)
        yield* Policies.change(person, project.id, { evidenceReuse: "inputs", approvalRiskTiers: [] })
        const narrow = JSON.stringify({ checks: [{ ...declared.checks[0], inputs: ["result.txt"] }] })
        yield* candidateOf(project.id, "one", { "pawl.json": narrow })
        const runs = closed.jobs.length
        const two = yield* candidateOf(project.id, "two", { "pawl.json": narrow })
        expect(two.plan).toMatchObject({ riskTier: "high", approvalRequired: true })
        expect(two.plan?.reuse).toBeUndefined()
        expect(closed.jobs.length - runs).toBe(runs)
      })
    ))

  it("reads the globs from the base: a Candidate cannot narrow what its own check sees", () =>
    inClosed((closed) =>
      Effect.gen(function* () {
        const project = yield* reusing("inputs", declared)
        const narrow = JSON.stringify({ checks: [{ ...declared.checks[0], inputs: ["README.md"] }] })
        const { id } = yield* askedFor(project.id, "one", { "pawl.json": narrow })
        yield* settle
        expect((yield* demand("candidate", id)).record.plan?.checks).toContainEqual(
          expect.objectContaining({ id: "test", inputs: ["src/**", "result.txt"] })
        )
        expect(closed.jobs.map((job) => job.files.has("src/index.js"))).toEqual([true])
      })
    ))

  it("is promoted, and an audit finds nothing", () =>
    inClosed(() =>
      Effect.gen(function* () {
        answers.set("/", page(200))
        const project = yield* reusing("inputs", declared)
        yield* candidateOf(project.id, "one", edit)
        const two = yield* candidateOf(project.id, "two", { ...edit, "README.md": "words" })
        yield* Promotions.promote(person, two.id)
        yield* settle
        expect((yield* Audits.examine(project.id)).findings).toEqual([])
      })
    ))
})
