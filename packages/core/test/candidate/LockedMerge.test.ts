/** ChangeSets whose packages change, composed: with the memory's registry, and by its rules of versions. */
import { layerMemory, lockText, type MemoryPackage } from "@pawl/adapters-memory/MemoryPackageStore"
import * as Audits from "@pawl/core/audit/Audits"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import type { Candidate } from "@pawl/core/model/Candidate"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { readFiles } from "@pawl/core/project/Source"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { alter as changing, tampered } from "../audit/AuditCrimes.ts"
import { layer, person, run, settle } from "../kit/MemoryPawl.ts"
import { askedFor, candidateOf, newProject, opened } from "../kit/Scenes.ts"

const all: ReadonlyArray<MemoryPackage> = [
  ...["a", "b", "c"].flatMap((name) => ["1.0.0", "2.0.0"].map((version) => ({ name, version }))),
  { name: "d", version: "1.0.0", dependencies: { b: "^2.0.0" } }
]
const registry = { packages: all, there: true, isThere: (): boolean => registry.there }

const inWorld = <A, E>(work: Effect.Effect<A, E, Layer.Success<typeof layer>>) => {
  registry.there = true
  return run(work, Layer.merge(layer, layerMemory(registry)))
}

type Ranges = Readonly<Record<string, string>>
const manifest = (dependencies: Ranges) => `${JSON.stringify({ name: "app", dependencies }, null, 2)}\n`
const lockFor = (dependencies: Ranges) =>
  lockText(
    manifest(dependencies),
    Object.entries(dependencies).map(([name, range]) => ({ name, version: range.replace("^", "") }))
  )
const both = (dependencies: Ranges) => ({
  "package.json": manifest(dependencies),
  "package-lock.json": lockFor(dependencies)
})

const filesOf = ({ id, projectId, tree }: Candidate) =>
  Effect.map(readFiles({ project: projectId, fork: candidateFork(id) }, tree ?? ""), (files) => {
    const text = (path: string) => new TextDecoder().decode(files.get(path)?.content)
    const lock: { readonly packages: Readonly<Record<string, { readonly version: string }>> } = files.has(
      "package-lock.json"
    )
      ? JSON.parse(text("package-lock.json"))
      : { packages: {} }
    return {
      needs: (JSON.parse(text("package.json")) as { readonly dependencies: Ranges }).dependencies,
      has: Object.fromEntries(
        Object.entries(lock.packages).flatMap(([path, { version }]) => (path === "" ? [] : [[path.slice(13), version]]))
      )
    }
  })

const derivedOf = ({ derived }: Candidate) => (derived ?? []).map(({ path, why }) => `${path} ${why}`)
const live = (candidateId: string) => Effect.andThen(Promotions.promote(person, candidateId), settle)

/** A Project whose canonical line has package `a` and its lock. */
const project = Effect.gen(function* () {
  const { id } = yield* newProject()
  const first = yield* candidateOf(id, "first", both({ a: "^1.0.0" }))
  yield* live(first.id)
  return id
})

const candidateNow = (id: string) => Effect.map(demand("candidate", id), ({ record }) => record)
const findings = (projectId: string) =>
  Effect.map(Audits.examine(projectId), (report) => report.findings.map(({ code, detail }) => `${code}: ${detail}`))

describe("A ChangeSet that changes package.json without its lock", () => {
  it("gets the lock as a part of it, with the versions of the one before, named as derived", () =>
    inWorld(
      Effect.gen(function* () {
        const id = yield* project
        const made = yield* candidateOf(id, "more", { "package.json": manifest({ a: "^1.0.0", b: "^2.0.0" }) })
        expect(made).toMatchObject({ status: "verified" })
        expect(derivedOf(made)).toEqual(["package-lock.json made"])
        expect((yield* filesOf(made)).has).toEqual({ a: "1.0.0", b: "2.0.0" })
        yield* live(made.id)
        expect(yield* findings(id)).toEqual([])
      })
    ))

  it("gets a first lock when it asks for a package that does not come along with Pawl", () =>
    inWorld(
      Effect.gen(function* () {
        const { id } = yield* newProject()
        const made = yield* candidateOf(id, "one", { "package.json": manifest({ c: "2.0.0" }) })
        expect((yield* filesOf(made)).has).toEqual({ c: "2.0.0" })
        const none = yield* candidateOf(id, "two", { "package.json": manifest({ hono: "^4.0.0" }) })
        expect([(yield* filesOf(none)).has, none.derived]).toEqual([{}, undefined])
      })
    ))

  it("waits for a registry that is away, without a try, and goes on when it is back", () =>
    inWorld(
      Effect.gen(function* () {
        const id = yield* project
        registry.there = false
        const asked = yield* askedFor(id, "more", { "package.json": manifest({ a: "^1.0.0", b: "1.0.0" }) })
        yield* settle
        expect((yield* candidateNow(asked.id)).status).toBe("composing")
        registry.there = true
        yield* TestClock.adjust("10 minutes")
        yield* settle
        expect(yield* candidateNow(asked.id)).toMatchObject({ status: "verified" })
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("is rejected where there is no such package, which is named", () =>
    inWorld(
      Effect.gen(function* () {
        const id = yield* project
        const made = yield* candidateOf(id, "more", { "package.json": manifest({ nothing: "1.0.0" }) })
        expect(made).toMatchObject({ status: "rejected", rejection: "packages_refused" })
        expect(made.reason).toContain("nothing")
      })
    ))
})

describe("Two ChangeSets that both change packages", () => {
  const two = (one: Record<string, string>, other: Record<string, string>) =>
    Effect.gen(function* () {
      const id = yield* project
      const change = yield* opened(id, "both")
      for (const files of [one, other])
        yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files, baseGeneration: 1 })
      const { candidate } = yield* Candidates.request(person, { changeId: change.id })
      // It is composed without a registry; what is checked needs the packages themselves.
      registry.there = false
      yield* settle
      expect((yield* candidateNow(candidate.id)).status).not.toBe("composing")
      registry.there = true
      yield* TestClock.adjust("10 minutes")
      yield* settle
      return { id, made: yield* candidateNow(candidate.id) }
    })

  it("come to the packages of both, of versions of their locks alone, without a registry", () =>
    inWorld(
      Effect.gen(function* () {
        const { id, made } = yield* two(both({ a: "^1.0.0", b: "^1.0.0" }), both({ a: "^1.0.0", c: "^1.0.0" }))
        expect(made).toMatchObject({ status: "verified" })
        expect(derivedOf(made)).toEqual(["package.json merged", "package-lock.json merged"])
        expect(yield* filesOf(made)).toEqual({
          needs: { a: "^1.0.0", b: "^1.0.0", c: "^1.0.0" },
          has: { a: "1.0.0", b: "1.0.0", c: "1.0.0" }
        })
        yield* live(made.id)
        expect(yield* findings(id)).toEqual([])
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("are in conflict where they ask for one package in two ways, and both ranges of it are named", () =>
    inWorld(
      Effect.gen(function* () {
        const { made } = yield* two(both({ a: "^1.0.0", b: "1.0.0" }), both({ a: "^1.0.0", b: "2.0.0" }))
        expect(made).toMatchObject({ status: "rejected", rejection: "merge_conflict" })
        expect(made.conflicts).toEqual(["package-lock.json", "package.json"])
        expect(made.reason).toMatch(
          /^merge conflict in package-lock\.json, package\.json: "b" of dependencies: cs_\S+ asks for "2\.0\.0", and what it is merged with asks for "1\.0\.0"$/
        )
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("are in conflict where no version of either lock fits both, and the package is named", () =>
    inWorld(
      Effect.gen(function* () {
        const needs = manifest({ a: "^1.0.0", d: "1.0.0" })
        const found = ["a 1.0.0", "b 2.0.0", "d 1.0.0"].map((each) =>
          all.find((one) => `${one.name} ${one.version}` === each)!
        )
        const { made } = yield* two(both({ a: "^1.0.0", b: "1.0.0" }), {
          "package.json": needs,
          "package-lock.json": lockText(needs, found)
        })
        expect(made).toMatchObject({
          status: "rejected",
          rejection: "merge_conflict",
          conflicts: ["package-lock.json"]
        })
        expect(made.reason).toMatch(/package-lock\.json: .*\bb\b/)
      }).pipe(Effect.provide(TestClock.layer()))
    ))
})

describe("Two Changes that each add another package, raced", () => {
  it.each([
    ["with their locks", both],
    ["without a lock", (needs: Ranges) => ({ "package.json": manifest(needs) })]
  ] as const)("both land: %s", (_, files) =>
    inWorld(
      Effect.gen(function* () {
        const id = yield* project
        const one = yield* candidateOf(id, "one", files({ a: "^1.0.0", b: "^1.0.0" }))
        const other = yield* candidateOf(id, "other", files({ a: "^1.0.0", c: "^1.0.0" }))
        yield* live(one.id)
        const line = yield* (yield* Records).list("candidate", { where: { lineage: other.lineage }, limit: "all" })
        const again = line.items.map(({ record }) => record).find(({ recomposition }) => recomposition === 1)
        expect(again).toMatchObject({ status: "verified" })
        if (again === undefined) return
        yield* live(again.id)
        expect((yield* demand("head", id)).record.generation).toBe(3)
        expect(yield* filesOf(again)).toMatchObject({
          needs: { a: "^1.0.0", b: "^1.0.0", c: "^1.0.0" },
          has: { a: "1.0.0", b: "1.0.0", c: expect.stringMatching(/^1/) }
        })
        expect(yield* findings(id)).toEqual([])
      })
    )
  )
})

describe("An audit of a derived lock", () => {
  type Alter = (candidate: Candidate) => Candidate
  const first =
    (change: (derived: NonNullable<Candidate["derived"]>[number]) => object): Alter =>
    (candidate) => ({
      ...candidate,
      derived: (candidate.derived ?? []).map((each, index) => (index === 0 ? { ...each, ...change(each) } : each))
    })

  it.each<readonly [what: string, alter: Alter, finding: RegExp]>([
    ["its digest is changed", first(() => ({ sha256: "0".repeat(64) })), /has not the digest/],
    ["another file is said to be derived", first(() => ({ path: "src/index.js" })), /no such file is derived/],
    [
      "a file that is not there is said to be derived",
      first(() => ({ path: "package-lock.json.gone" })),
      /no such file/
    ],
    ["it is said to be of another ChangeSet", first(() => ({ changeSet: "cs_other" })), /no ChangeSet of it/],
    ["it is said to be of no merge", (candidate) => ({ ...candidate, derived: [] }), /differs at package/],
    ["it is said to be merged", first(() => ({ why: "merged" })), /stands in neither of the two locks/]
  ])("finds it when %s", (_, alter, finding) =>
    inWorld(
      Effect.gen(function* () {
        const id = yield* project
        const made = yield* candidateOf(id, "more", { "package.json": manifest({ a: "^1.0.0", b: "^2.0.0" }) })
        yield* live(made.id)
        const tampering = changing("candidate", ({ one }) => one, alter)
        const changed = yield* findings(id).pipe(
          tampered(tampering({ projectId: id, one: made.id, two: made.id, back: made.id }))
        )
        expect(changed).toContainEqual(expect.stringMatching(finding))
        expect(changed.every((each) => each.startsWith("tree_not_derived"))).toBe(true)
      })
    )
  )
})
