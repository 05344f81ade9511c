/** The source that a Task works on, where those it depends on brought packages. */
import { layerMemory, lockText } from "@pawl/adapters-memory/MemoryPackageStore"
import * as Audits from "@pawl/core/audit/Audits"
import { Records } from "@pawl/core/ledger/Records"
import { readFiles } from "@pawl/core/project/Source"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { layer, person, settle } from "../kit/MemoryPawl.ts"
import { inWorld, planned, type Script, taskOf, usage, worked } from "../kit/WorkWorld.ts"
import * as Promotions from "@pawl/core/promotion/Promotions"

const registry = {
  packages: ["a", "b"].flatMap((name) => ["1.0.0", "2.0.0"].map((version) => ({ name, version }))),
  there: true,
  isThere: (): boolean => registry.there
}

type Versions = Readonly<Record<string, string>>

const manifest = (dependencies: Versions) => `${JSON.stringify({ name: "app", dependencies }, null, 2)}\n`

const brings =
  (dependencies: Versions, also: Readonly<Record<string, string>> = {}): Script =>
  () => {
    registry.there = false
    const text = manifest(dependencies)
    const locked = Object.entries(dependencies).map(([name, version]) => ({ name, version }))
    const edits = { "package.json": text, "package-lock.json": lockText(text, locked), ...also }
    return Effect.succeed({ _tag: "Published", edits, message: "packages", intents: [], usage })
  }

/** Sees the packages of its source, and publishes a file. */
const sees =
  (seen: Array<Versions>, edits: Readonly<Record<string, string>> = { "c.txt": "c" }): Script =>
  ({ source }) =>
    readFiles(source.repository, source.tree).pipe(
      Effect.orDie,
      Effect.map((files) => {
        registry.there = true
        const lock: { readonly packages: Readonly<Record<string, { readonly version: string }>> } = JSON.parse(
          new TextDecoder().decode(files.get("package-lock.json")?.content)
        )
        const versions = Object.entries(lock.packages).filter(([path]) => path !== "")
        seen.push(
          Object.fromEntries(versions.map(([path, { version }]) => [path.slice("node_modules/".length), version]))
        )
        return { _tag: "Published", edits, message: "c", intents: [], usage }
      })
    )

const three = [planned("a"), planned("b"), planned("c", ["a", "b"])]

describe("A Task that depends on two that each bring a package", () => {
  it("works on both, with a lock that no registry was asked for, and all of it lands", () => {
    const seen: Array<Versions> = []
    return inWorld(
      (hands) =>
        Effect.gen(function* () {
          hands.agents.set("a", [brings({ a: "1.0.0" })])
          hands.agents.set("b", [brings({ b: "2.0.0" })])
          hands.agents.set("c", [sees(seen)])
          const changeId = yield* worked(hands, three)
          expect(seen).toEqual([{ a: "1.0.0", b: "2.0.0" }])
          const records = yield* Records
          const { items } = yield* records.list("candidate", { where: { changeId }, limit: "all" })
          expect(items.map(({ record }) => [record.status, record.reason])).toEqual([["verified", null]])
          const candidate = items[0]!.record
          yield* Promotions.promote(person, candidate.id)
          yield* settle
          const { findings } = yield* Audits.examine(candidate.projectId)
          expect(findings).toEqual([])
        }),
      Layer.merge(layer, layerMemory(registry))
    )
  })

  it("fails where these do not go together, and names the file, the package and both versions", () =>
    inWorld(
      (hands) =>
        Effect.gen(function* () {
          registry.there = true
          hands.agents.set("a", [brings({ a: "1.0.0" })])
          hands.agents.set("b", [brings({ a: "2.0.0" })])
          const changeId = yield* worked(hands, three)
          expect(yield* taskOf(changeId, "c")).toMatchObject({
            status: "failed",
            reason: expect.stringMatching(
              /^what it depends on cannot be merged: merge conflict in package\S+, package.json: "a" of dependencies: .*"2.0.0".*"1.0.0"$/
            )
          })
        }),
      Layer.merge(layer, layerMemory(registry))
    ))
})

describe("A repair of what does not merge", () => {
  it("works on the packages of both sides, with a lock that nobody has to write, and all of it lands", () => {
    const seen: Array<Versions> = []
    return inWorld(
      (hands) =>
        Effect.gen(function* () {
          hands.agents.set("a", [brings({ a: "1.0.0" }, { "x.txt": "of a" })])
          hands.agents.set("b", [brings({ b: "2.0.0" }, { "x.txt": "of b" })])
          hands.agents.set("repair-1", [sees(seen, { "x.txt": "of both" })])
          const changeId = yield* worked(hands, [planned("a"), planned("b")])
          const records = yield* Records
          const { items } = yield* records.list("candidate", { where: { changeId }, limit: "all" })
          const [first, second] = items.map(({ record }) => record)
          expect(first?.conflicts).toContain("x.txt")
          expect(seen).toEqual([{ a: "1.0.0", b: "2.0.0" }])
          expect([second?.status, second?.reason]).toEqual(["verified", null])
          yield* Promotions.promote(person, second!.id)
          yield* settle
          expect((yield* Audits.examine(second!.projectId)).findings).toEqual([])
        }),
      Layer.merge(layer, layerMemory(registry))
    )
  })
})
