/** ChangeSets of a Project with a lock of pnpm, composed: with the memory's registry, and by its rules of versions. */
import { layerMemory, type MemoryPackage, pnpmLockText } from "@pawl/adapters-memory/MemoryPackageStore"
import * as Audits from "@pawl/core/audit/Audits"
import * as Candidates from "@pawl/core/candidate/Candidates"
import * as ChangeSets from "@pawl/core/changeset/ChangeSets"
import { demand } from "@pawl/core/ledger/Decision"
import { Records } from "@pawl/core/ledger/Records"
import type { Candidate } from "@pawl/core/model/Candidate"
import { readPnpmText } from "@pawl/core/packages/PnpmLockText"
import { candidateFork } from "@pawl/core/primitives/Ids"
import { readFiles } from "@pawl/core/project/Source"
import * as Promotions from "@pawl/core/promotion/Promotions"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { layer, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, newProject, opened } from "../kit/Scenes.ts"

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
const found = (...names: ReadonlyArray<string>) =>
  all.filter(({ name, version }) => names.includes(`${name}@${version}`))
const both = (dependencies: Ranges) => ({
  "package.json": manifest(dependencies),
  "pnpm-lock.yaml": pnpmLockText(
    manifest(dependencies),
    found(...Object.entries(dependencies).map(([name, range]) => `${name}@${range.replace("^", "")}`))
  )
})

const locked = ({ id, projectId, tree }: Candidate) =>
  Effect.map(readFiles({ project: projectId, fork: candidateFork(id) }, tree ?? ""), (files) => ({
    names: [...files.keys()].filter((name) => name.includes("lock")),
    has: Object.keys((readPnpmText(files.get("pnpm-lock.yaml")!.content)?.["packages"] ?? {}) as object)
  }))

const derivedOf = ({ derived }: Candidate) => (derived ?? []).map(({ path, why }) => `${path} ${why}`)
const live = (candidateId: string) => Effect.andThen(Promotions.promote(person, candidateId), settle)
const candidateNow = (id: string) => Effect.map(demand("candidate", id), ({ record }) => record)
const findings = (projectId: string) =>
  Effect.map(Audits.examine(projectId), (report) => report.findings.map(({ code, detail }) => `${code}: ${detail}`))

/** A Project whose canonical line has package `a` and pnpm's lock. */
const project = Effect.gen(function* () {
  const { id } = yield* newProject()
  const first = yield* candidateOf(id, "first", both({ a: "^1.0.0" }))
  yield* live(first.id)
  return id
})

describe("A ChangeSet that changes package.json without pnpm's lock", () => {
  it("gets the lock as a part of it, with the versions of the one before, named as derived", () =>
    inWorld(
      Effect.gen(function* () {
        const id = yield* project
        const made = yield* candidateOf(id, "more", { "package.json": manifest({ a: "^1.0.0", b: "^2.0.0" }) })
        expect(made).toMatchObject({ status: "verified" })
        expect(derivedOf(made)).toEqual(["pnpm-lock.yaml made"])
        expect(yield* locked(made)).toEqual({ names: ["pnpm-lock.yaml"], has: ["a@1.0.0", "b@2.0.0"] })
        yield* live(made.id)
        expect(yield* findings(id)).toEqual([])
      })
    ))

  it("keeps the lock that came along, and asks no registry", () =>
    inWorld(
      Effect.gen(function* () {
        const id = yield* project
        const files = both({ a: "^1.0.0", b: "^1.0.0" })
        const made = yield* candidateOf(id, "more", files)
        expect(derivedOf(made)).toEqual([])
        expect((yield* locked(made)).has).toEqual(["a@1.0.0", "b@1.0.0"])
      })
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

describe("Two ChangeSets that both change pnpm's lock", () => {
  const two = (one: Record<string, string>, other: Record<string, string>) =>
    Effect.gen(function* () {
      const id = yield* project
      const change = yield* opened(id, "both")
      for (const files of [one, other])
        yield* ChangeSets.record(person, { changeId: change.id, message: "edit", files, baseGeneration: 1 })
      const { candidate } = yield* Candidates.request(person, { changeId: change.id })
      yield* settle
      return { id, made: yield* candidateNow(candidate.id) }
    })

  it("come to the packages of both, of versions of their locks alone", () =>
    inWorld(
      Effect.gen(function* () {
        const { id, made } = yield* two(both({ a: "^1.0.0", b: "^1.0.0" }), both({ a: "^1.0.0", c: "^1.0.0" }))
        expect(made).toMatchObject({ status: "verified" })
        expect(derivedOf(made)).toEqual(["package.json merged", "pnpm-lock.yaml merged"])
        expect((yield* locked(made)).has).toEqual(["a@1.0.0", "b@1.0.0", "c@1.0.0"])
        yield* live(made.id)
        expect(yield* findings(id)).toEqual([])
      })
    ))

  it("are in conflict where no version of either fits both, and the package and the lock are named", () =>
    inWorld(
      Effect.gen(function* () {
        const needs = manifest({ a: "^1.0.0", d: "1.0.0" })
        const { made } = yield* two(both({ a: "^1.0.0", b: "1.0.0" }), {
          "package.json": needs,
          "pnpm-lock.yaml": pnpmLockText(needs, found("a@1.0.0", "b@2.0.0", "d@1.0.0"))
        })
        expect(made).toMatchObject({ status: "rejected", rejection: "merge_conflict", conflicts: ["pnpm-lock.yaml"] })
        expect(made.reason).toMatch(/pnpm-lock\.yaml: .*\bb\b/)
      })
    ))
})

describe("Two Changes that each add another package to a Project of pnpm, raced", () => {
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
        expect((yield* locked(again)).has.map((each) => each.slice(0, 3))).toEqual(["a@1", "b@1", "c@1"])
        expect(yield* findings(id)).toEqual([])
      })
    )
  )
})
