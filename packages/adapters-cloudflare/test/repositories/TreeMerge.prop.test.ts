import * as FastCheck from "fast-check"
import { Result } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { rounds, seed } from "@pawl/testing/Depth"
import { mergeCommits } from "@pawl/adapters-cloudflare/repositories/CommitMerge"
import { mergeBases } from "@pawl/adapters-cloudflare/repositories/Ancestry"
import { byteText, textBytes } from "@pawl/adapters-cloudflare/repositories/Bytes"
import { commitObject, type GitObject, gitObject } from "@pawl/adapters-cloudflare/repositories/GitObject"
import { packOf } from "@pawl/adapters-cloudflare/repositories/Pack"
import { type Files, treeObjects } from "@pawl/adapters-cloudflare/repositories/Tree"
import { nativeRepository } from "./NativeMerges.ts"
import { versions } from "./RandomSources.ts"

const native = nativeRepository()
afterAll(native.remove)

const objects = new Map<string, GitObject>()
const signature = { name: "Pawl", email: "pawl@localhost", atMs: 0 }

const committed = (files: Files, parents: ReadonlyArray<string>, message = ""): string => {
  const made = treeObjects(files)
  for (const object of made.objects) objects.set(object.id, object)
  const commit = commitObject({ tree: made.tree, parents, message, signature })
  objects.set(commit.id, commit)
  return commit.id
}

const settled = new Set<string>()

describe("The merge of trees without git", () => {
  it("gives git's own tree whenever both merge, and hides no conflict that git sees", () => {
    const numRuns = rounds({ quick: 500, deep: 2000, long: 12_000 })
    const pairs = FastCheck.sample(versions, { numRuns, seed }).map(({ base, ours, theirs }) => {
      const start = committed(base, [])
      return [committed(ours, [start]), committed(theirs, [start])] as const
    })
    native.index(packOf([...objects.values()]))
    const merges = native.merge(pairs)
    expect(merges).toHaveLength(pairs.length)
    const count = { both: 0, native: 0, lost: 0 }
    for (const [at, [ours, theirs]] of pairs.entries()) {
      const merged = mergeCommits(objects, ours, theirs, settled)
      const theirsIs = merges[at]!
      if (theirsIs.clean) count.native++
      if (Result.isFailure(merged)) {
        expect(merged.failure._tag).toBe("MergeConflict")
        if (theirsIs.clean) count.lost++
        continue
      }
      const tree =
        merged.success === "contained"
          ? native.git(["rev-parse", `${ours}^{tree}`]).trim()
          : treeObjects(merged.success).tree
      expect([ours, theirs, { clean: true, tree }]).toEqual([
        ours,
        theirs,
        { clean: theirsIs.clean, tree: theirsIs.tree }
      ])
      count.both++
    }
    console.log(count)
    expect(count.both).toBeGreaterThan(pairs.length / 5)
  })

  it("agrees with git where the two sides have several bases: each merged the same two before", () => {
    const numRuns = rounds({ quick: 60, deep: 600 })
    const pairs = FastCheck.sample(versions, { numRuns, seed }).flatMap(({ base, ours, theirs }) => {
      const start = committed(base, [])
      const tips = [committed(ours, [start]), committed(theirs, [start])] as const
      const merged = mergeCommits(objects, ...tips, settled)
      if (Result.isFailure(merged) || merged.success === "contained") return []
      const both = merged.success
      // What each does after its merge: at the two ends of one text, and to others each of its own.
      const after = (done: (text: string, path: string) => string) =>
        new Map(
          Array.from(both, ([path, file]) => {
            const bytes = file.object?.body ?? objects.get(file.id)!.body
            const object = gitObject("blob", textBytes(done(byteText(bytes), path)))
            return [path, { ...file, id: object.id, size: object.body.length, object }] as const
          })
        )
      const sides = [
        after((text, path) => (path.startsWith("src/a") ? text : `first\n${text}`)),
        after((text, path) => (path.startsWith("src/") ? `${text}\nend\n` : text))
      ]
      const [left, right] = sides.map((files, n) => committed(files, [committed(both, tips, `${n}`)]))
      return left === undefined || right === undefined ? [] : [[left, right] as const]
    })
    native.index(packOf([...objects.values()]))
    let agreed = 0
    for (const [at, theirsIs] of native.merge(pairs).entries()) {
      const [left, right] = pairs[at]!
      expect(mergeBases(objects, left, right)).toHaveLength(2)
      const merged = mergeCommits(objects, left, right, settled)
      if (Result.isFailure(merged) || merged.success === "contained") continue
      expect([left, treeObjects(merged.success).tree, true]).toEqual([left, theirsIs.tree, theirsIs.clean])
      agreed++
    }
    console.log(`${agreed} of ${pairs.length} with two bases`)
    expect(agreed).toBeGreaterThan(2)
  })
})
