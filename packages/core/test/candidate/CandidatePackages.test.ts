/** What packages make of a Candidate: its risk, its one check where the Policy refuses one, what is built and listed. */
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as MemoryPackageStore from "@pawl/adapters-memory/MemoryPackageStore"
import * as Policies from "@pawl/core/approval/Policies"
import { sbomOfGeneration } from "@pawl/core/app/KeptSbom"
import * as Candidates from "@pawl/core/candidate/Candidates"
import { demand } from "@pawl/core/ledger/Decision"
import type { Candidate } from "@pawl/core/model/Candidate"
import type { PackagePolicy } from "@pawl/core/model/Policy"
import { PackageStore } from "@pawl/core/packages/PackageStore"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import * as Projects from "@pawl/core/project/Projects"
import * as Promotions from "@pawl/core/promotion/Promotions"
import * as Rollbacks from "@pawl/core/promotion/Rollbacks"
import { evidenceOf } from "@pawl/core/verification/CandidateEvidence"
import { why } from "@pawl/core/why/Why"
import { packageChanges } from "@pawl/core/verification/PackageLook"
import { answers, layer, organizationId, page, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, files } from "../kit/Scenes.ts"

const registry: ReadonlyArray<MemoryPackageStore.MemoryPackage> = [
  { name: "left", version: "1.0.0", license: "MIT", publishedAtMs: Time.toMillis("1969-06-01T00:00:00.000Z") },
  { name: "left", version: "1.1.0", license: "MIT", publishedAtMs: Time.toMillis("1969-12-30T00:00:00.000Z") },
  {
    name: "hook",
    version: "1.0.0",
    scripts: ["postinstall"],
    publishedAtMs: Time.toMillis("1969-06-01T00:00:00.000Z")
  },
  {
    name: "nobody-imports",
    version: "3.0.0",
    publishedAtMs: Time.toMillis("1969-06-01T00:00:00.000Z"),
    advisories: [{ id: "GHSA-1", title: "It leaks", severity: "high", url: "https://example.test/1" }]
  }
]

const sourceOf = (dependencies: Readonly<Record<string, string>>, imports: ReadonlyArray<string> = []) => {
  const manifest = JSON.stringify({ name: "shop", dependencies })
  const locked = registry.filter(({ name, version }) => dependencies[name] === version)
  return {
    "package.json": manifest,
    "package-lock.json": MemoryPackageStore.lockText(manifest, locked),
    "src/index.js": `${imports.map((name) => `import "${name}"\n`).join("")}${files["src/index.js"]}`
  }
}

const pnpmSourceOf = (dependencies: Readonly<Record<string, string>>) => {
  const { "package-lock.json": _, ...rest } = sourceOf(dependencies)
  const locked = registry.filter(({ name, version }) => dependencies[name] === version)
  return { ...rest, "pnpm-lock.yaml": MemoryPackageStore.pnpmLockText(rest["package.json"], locked) }
}

const project = (also: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Projects.create(person, { organizationId, slug: "corner", files: { ...files, ...also } }), (made) =>
    Effect.as(settle, made.id)
  )

const withPolicy = (projectId: string, packages: PackagePolicy) => Policies.change(person, projectId, { packages })
const concernsOf = ({ plan }: Candidate) =>
  (plan?.packages?.concerns ?? []).map(({ concern, name }) => `${concern} ${name}`)

/** The core with this registry. `mood` says how it answers what is asked about ages, and `asked` is told of a silent one. */
const here = (mood: "there" | "away" | "silent" = "there", asked = Deferred.makeUnsafe<void>()) =>
  Layer.merge(
    layer,
    Layer.effect(
      PackageStore,
      Effect.map(PackageStore, (store) =>
        mood === "silent"
          ? PackageStore.of({ ...store, facts: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never) })
          : store
      )
    ).pipe(Layer.provide(MemoryPackageStore.layerMemory({ packages: registry, isThere: () => mood === "there" })))
  )

const promoted = Effect.fnUntraced(function* (projectId: string, request: string, edits: Record<string, string>) {
  const candidate = yield* candidateOf(projectId, request, edits)
  answers.set("/", page(200))
  const done = yield* Promotions.promote(person, candidate.id)
  yield* settle
  return done.generation
})

const listOf = (projectId: string, generation: number) =>
  Effect.map(sbomOfGeneration(projectId, generation), (bytes) => JSON.parse(new TextDecoder().decode(bytes)))

const purls = (list: { readonly components: ReadonlyArray<{ readonly purl: string; readonly scope: string }> }) =>
  list.components.map(({ purl, scope }) => `${purl} ${scope}`)

describe("The packages of a Candidate", () => {
  it("raise its risk by what its lock adds, and stand in its plan", () =>
    run(
      Effect.gen(function* () {
        const id = yield* project()
        const one = yield* candidateOf(id, "r1", sourceOf({ left: "1.0.0" }))
        expect([one.plan?.riskTier, concernsOf(one)]).toEqual(["medium", ["new_direct left"]])
        const two = yield* candidateOf(id, "r2", sourceOf({ hook: "1.0.0" }))
        expect([two.plan?.riskTier, concernsOf(two)]).toEqual(["high", ["install_script hook", "new_direct hook"]])
        expect(two.plan?.approvalRequired).toBe(true)
      }),
      here()
    ))

  it("of pnpm are asked of the registry for their scripts, and told with them; unknown is high", async () => {
    const told = (mood: "there" | "away") =>
      run(
        Effect.gen(function* () {
          const id = yield* project()
          const one = yield* candidateOf(id, "r1", pnpmSourceOf({ left: "1.0.0" }))
          const two = yield* candidateOf(id, "r2", pnpmSourceOf({ hook: "1.0.0" }))
          const fork = { project: id, fork: candidateFork(two.id) }
          const paths = ["package.json", "pnpm-lock.yaml"]
          const [change] = yield* packageChanges(fork, { base: two.baseTree, tree: two.tree ?? "", paths })
          return [...[one, two].map((each) => [each.plan?.riskTier, concernsOf(each)]), change?.scripts]
        }),
        here(mood)
      )
    expect(await told("there")).toEqual([
      ["medium", ["new_direct left"]],
      ["high", ["install_script hook", "new_direct hook"]],
      true
    ])
    expect(await told("away")).toEqual([
      ["high", ["scripts_unknown left", "new_direct left"]],
      ["high", ["scripts_unknown hook", "new_direct hook"]],
      null
    ])
  })

  it("of a lock that is refused are not told: not all that the base has is gone", () =>
    run(
      Effect.gen(function* () {
        const id = yield* project(sourceOf({ left: "1.0.0" }))
        const broken = { "package-lock.json": "{}" }
        const { baseTree, id: candidateId, tree } = yield* candidateOf(id, "r1", broken)
        const fork = { project: id, fork: candidateFork(candidateId) }
        expect(yield* packageChanges(fork, { base: baseTree, tree: tree ?? "", paths: Object.keys(broken) })).toEqual(
          []
        )
      }),
      here()
    ))

  it("are as old as the registry says: a version of yesterday is high, one of last summer is not", () =>
    run(
      Effect.gen(function* () {
        const id = yield* project()
        yield* withPolicy(id, { minAgeDays: 7 })
        const young = yield* candidateOf(id, "r1", sourceOf({ left: "1.1.0" }))
        expect([young.plan?.riskTier, young.plan?.packages?.concerns[0]]).toMatchObject([
          "high",
          { concern: "too_young", name: "left", version: "1.1.0", ageDays: 2, file: "package-lock.json" }
        ])
        const old = yield* candidateOf(id, "r2", sourceOf({ left: "1.0.0" }))
        expect([old.plan?.riskTier, concernsOf(old)]).toEqual(["medium", ["new_direct left"]])
        yield* TestClock.adjust("5 days")
        const later = yield* candidateOf(id, "r3", { ...sourceOf({ left: "1.1.0" }), "another.txt": "x" })
        expect([later.plan?.riskTier, concernsOf(later)]).toEqual(["medium", ["new_direct left"]])
      }).pipe(Effect.provide(TestClock.layer())),
      here()
    ))

  it("are never taken for old because the registry is away, and composing waits for it no longer than it may", () => {
    const asked = Deferred.makeUnsafe<void>()
    return run(
      Effect.gen(function* () {
        const id = yield* project()
        yield* withPolicy(id, { minAgeDays: 7 })
        // What signs the Policy's statement waits for another thread, and the clock is not to move meanwhile.
        yield* settle
        const fiber = yield* Effect.forkChild(candidateOf(id, "r1", sourceOf({ left: "1.0.0" })))
        yield* Deferred.await(asked)
        yield* Effect.yieldNow
        yield* TestClock.adjust(Limits.packageFactsMs)
        const candidate = yield* Fiber.join(fiber)
        expect([candidate.plan?.riskTier, concernsOf(candidate)]).toEqual([
          "high",
          ["age_unknown left", "new_direct left"]
        ])
      }).pipe(Effect.provide(TestClock.layer())),
      here("silent", asked)
    )
  })

  it("that the Policy denies leave it one check, which fails in words; nothing is fetched, built or run", () =>
    run(
      Effect.gen(function* () {
        const id = yield* project()
        yield* withPolicy(id, { deny: ["le*"] })
        const refused = yield* candidateOf(id, "r1", sourceOf({ left: "1.0.0" }))
        expect(refused).toMatchObject({ status: "rejected", rejection: "checks_failed" })
        const rows = yield* evidenceOf(refused.id)
        expect(rows.map(({ checkId, result, summary }) => [checkId, result, summary])).toEqual([
          [
            "packages@policy",
            "fail",
            "package-lock.json:10: left@1.0.0: the Project's Policy (version 2) denies it (packages.deny). Take the package out, or let an admin change the Policy."
          ]
        ])
        // That no build was planned is no reason of its own.
        const gaps = (yield* why(refused.id)).blocks.filter(({ code }) => code === "check_gap")
        expect(gaps.map(({ detail }) => detail.split(" (", 1)[0])).toEqual(["packages@policy: fail"])
        yield* withPolicy(id, {})
        const { candidate } = yield* Candidates.request(person, { changeId: refused.changeId, retry: true })
        yield* settle
        expect((yield* demand("candidate", candidate.id)).record.status).toBe("verified")
      }),
      here()
    ))

  it("that are on canonical already lock nothing, and are judged when they move", () =>
    run(
      Effect.gen(function* () {
        const id = yield* project(sourceOf({ left: "1.0.0" }))
        yield* withPolicy(id, { allow: ["nobody-*"] })
        const same = yield* candidateOf(id, "r1", { "a.txt": "a" })
        const more = yield* candidateOf(id, "r2", sourceOf({ left: "1.0.0", "nobody-imports": "3.0.0" }))
        const moved = yield* candidateOf(id, "r3", sourceOf({ left: "1.1.0" }))
        expect([same.status, more.status, moved.status]).toEqual(["verified", "verified", "rejected"])
        expect(concernsOf(moved)).toEqual(["not_allowed left"])
      }),
      here()
    ))

  it("are judged anew when the Policy changes before it is promoted", () =>
    run(
      Effect.gen(function* () {
        const id = yield* project()
        const fine = yield* candidateOf(id, "r1", sourceOf({ left: "1.0.0" }))
        expect(fine.status).toBe("verified")
        yield* withPolicy(id, { deny: ["left"] })
        yield* Candidates.request(person, { changeId: fine.changeId })
        yield* settle
        expect((yield* demand("candidate", fine.id)).record).toMatchObject({
          status: "rejected",
          score: { checks: [{ checkId: "packages@policy", verdict: "fail" }] }
        })
      }),
      here()
    ))

  it("are told with what the registry says of them, and without while it is away", async () => {
    const told = (mood: "there" | "away") =>
      run(
        Effect.gen(function* () {
          const id = yield* project({ ...sourceOf({ left: "1.0.0" }), "pawl.json": "{}" })
          const edits = sourceOf({ left: "1.1.0", "nobody-imports": "3.0.0" })
          const { baseTree, id: candidateId, tree } = yield* candidateOf(id, "r1", edits)
          const fork = { project: id, fork: candidateFork(candidateId) }
          return yield* packageChanges(fork, { base: baseTree, tree: tree ?? "", paths: Object.keys(edits) })
        }).pipe(Effect.provide(TestClock.layer())),
        here(mood)
      )
    const changes = [
      { name: "left", from: "1.0.0", to: "1.1.0", dev: false, scripts: false },
      { name: "nobody-imports", from: null, to: "3.0.0", dev: false, scripts: false }
    ]
    // Not known is told apart from none.
    expect(await told("away")).toEqual(changes.map((each) => ({ ...each, advisories: null })))
    expect(await told("there")).toEqual([
      { ...changes[0], ageDays: 2, advisories: [] },
      { ...changes[1], ageDays: 214, advisories: registry[3]?.advisories }
    ])
  })
})

describe("The list of a generation's packages", () => {
  it("is what was built, and not what was asked for; a rollback has its target's", () =>
    run(
      Effect.gen(function* () {
        const id = yield* project()
        const asked = { left: "1.0.0", "nobody-imports": "3.0.0" }
        expect(yield* promoted(id, "r1", sourceOf(asked, ["left"]))).toBe(1)
        expect(yield* promoted(id, "r2", sourceOf({ left: "1.1.0" }, ["left"]))).toBe(2)
        const [none, one, two] = yield* Effect.all([listOf(id, 0), listOf(id, 1), listOf(id, 2)])
        expect([purls(none), purls(one), purls(two)]).toEqual([
          [],
          ["pkg:npm/left@1.0.0 required"],
          ["pkg:npm/left@1.1.0 required"]
        ])
        expect(one.dependencies).toEqual([
          { ref: id, dependsOn: ["node_modules/left"] },
          { ref: "node_modules/left", dependsOn: [] }
        ])
        const generation = (yield* demand("generation", `${id}/1`)).record
        expect(one.metadata.component).toMatchObject({ name: id, version: generation.commit })
        const back = yield* Rollbacks.request(person, { projectId: id, targetGeneration: 1, expectedGeneration: 2 })
        yield* settle
        yield* Promotions.promote(person, back.candidate.id)
        yield* settle
        const three = yield* listOf(id, 3)
        expect([three.components, three.metadata.component.version]).toEqual([
          one.components,
          (yield* demand("generation", `${id}/3`)).record.commit
        ])
      }),
      here()
    ))
})
