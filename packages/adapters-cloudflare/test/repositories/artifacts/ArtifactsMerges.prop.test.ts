import { Base64 } from "effect/encoding"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FileEdits, Repositories } from "@pawl/core/project/Repositories"
import { projectId, scene, signature } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { rounds, seed } from "@pawl/testing/Depth"
import { layer } from "@pawl/adapters-cloudflare/repositories/ArtifactsRepositories"
import { commitObject, type GitObject } from "@pawl/adapters-cloudflare/repositories/GitObject"
import { packOf } from "@pawl/adapters-cloudflare/repositories/Pack"
import { type Files, treeObjects } from "@pawl/adapters-cloudflare/repositories/Tree"
import { type NativeMerge, nativeRepository } from "../NativeMerges.ts"
import { versions } from "../RandomSources.ts"
import { ArtifactsStandIn } from "./ArtifactsStandIn.ts"

const native = nativeRepository()
const artifacts = new ArtifactsStandIn()
afterAll(() => {
  native.remove()
  artifacts.remove()
})

/** Edits bring contents alone. */
const plain = (files: Files): Files =>
  new Map(Array.from(files, ([path, file]) => [path, { ...file, executable: false }]))

const edits = (from: Files, to: Files): FileEdits =>
  Object.fromEntries([
    ...[...from.keys()].filter((path) => !to.has(path)).map((path) => [path, null] as const),
    ...[...to].map(([path, { object }]) => [path, { base64: Base64.encode(object!.body) }] as const)
  ])

const objects = new Map<string, GitObject>()
const committed = (files: Files, parents: ReadonlyArray<string>): string => {
  const made = treeObjects(files)
  const commit = commitObject({ tree: made.tree, parents, message: "", signature })
  for (const object of [...made.objects, commit]) objects.set(object.id, object)
  return commit.id
}

/** As many as one test merges: each is some dozen processes of git. */
const atOnce = 50
const count = rounds({ quick: 12, deep: 100, long: 500 })
const cases = FastCheck.sample(versions, { numRuns: count, seed }).map(({ base, ours, theirs }) => {
  const files = { base: plain(base), ours: plain(ours), theirs: plain(theirs) }
  const start = committed(files.base, [])
  return { ...files, pair: [committed(files.ours, [start]), committed(files.theirs, [start])] as const }
})

describe("The merge of trees on Artifacts", () => {
  let merges: ReadonlyArray<NativeMerge> = []
  beforeAll(() => {
    native.index(packOf([...objects.values()]))
    merges = native.merge(cases.map(({ pair }) => pair))
    if (merges.length !== count) throw new Error("git did not merge them all")
  })

  for (let from = 0; from < count; from += atOnce) {
    const some = cases.slice(from, from + atOnce)
    it(`gives git's own tree, and hides no conflict that git sees: ${from + 1} to ${from + some.length}`, async () => {
      let agreed = 0
      const program = Effect.gen(function* () {
        const repositories = yield* Repositories
        const { cand, edit, merge, project, ws } = yield* scene(repositories, projectId(from + 1))
        for (const [at, { base, ours, pair, theirs }] of some.entries()) {
          const { commit } = yield* repositories.seed({
            project,
            files: edits(new Map(), base),
            message: "",
            signature
          })
          const make = (into: ReturnType<typeof ws>, files: Files) => edit(into, commit, edits(base, files))
          const [one, two] = [yield* make(ws(1), ours), yield* make(ws(2), theirs)]
          const merged = yield* Effect.result(merge(cand(1), commit, [ws(1), one.commit], [ws(2), two.commit]))
          const theirsIs = merges[from + at]!
          if (merged._tag === "Failure") expect(merged.failure._tag).toBe("MergeConflict")
          else {
            expect([pair, merged.success.tree, true]).toEqual([pair, theirsIs.tree, theirsIs.clean])
            agreed++
          }
        }
      })
      const on = layer({ artifacts: artifacts.binding, fetch: artifacts.fetch })
      await Effect.runPromise(Effect.provide(program, on))
      expect(agreed).toBeGreaterThan(some.length / 6)
    })
  }
})
