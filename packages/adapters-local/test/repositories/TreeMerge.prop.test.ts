import { depth, rounds, seed } from "@pawl/testing/Depth"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FastCheck from "fast-check"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { type FileEdits, Repositories } from "@pawl/core/project/Repositories"
import { differences } from "@pawl/core/audit/TreeMerge"
import { projectId, scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { layer } from "../../src/repositories/GitRepositories.ts"

const root = mkdtempSync(join(tmpdir(), "tree-merge-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const paths = ["a.txt", "b.txt", "src/c.txt", "src/d.txt", "docs/e.txt"]
const linesOf = (path: string) => Array.from({ length: 12 }, (_, line) => `${path} line ${line}`)
const text = (lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join("")
const base: FileEdits = Object.fromEntries(paths.map((path) => [path, text(linesOf(path))]))

/** What one side does to one file. A moved file may be changed on its way. */
const doing = FastCheck.record({
  file: FastCheck.constantFrom(...paths),
  what: FastCheck.constantFrom("line", "line", "insert", "remove", "delete", "move", "moveAndLine", "add"),
  line: FastCheck.nat(11),
  word: FastCheck.constantFrom("one", "two", "three")
})
type Doing = typeof doing extends FastCheck.Arbitrary<infer A> ? A : never

const applied = (doings: ReadonlyArray<Doing>): FileEdits => {
  const edits: Record<string, string | null> = {}
  for (const { file, line, what, word } of doings) {
    const lines = linesOf(file)
    if (what === "line" || what === "moveAndLine") lines[line] = `${word} ${line}`
    if (what === "insert") lines.splice(line, 0, `new ${word}`)
    if (what === "remove") lines.splice(line, 1)
    if (what === "add") edits[`new/${word}-${line % 3}.txt`] = `${word}\n`
    else if (what === "delete") edits[file] = null
    else if (what === "move" || what === "moveAndLine") {
      edits[file] = null
      edits[`moved/${word}.txt`] = text(lines)
    } else edits[file] = text(lines)
  }
  return edits
}

/** One side took it away, to somewhere else, and the other changed it. */
const isMovedAndChanged = (ours: FileEdits, theirs: FileEdits, path: string): boolean =>
  path in ours && path in theirs && (ours[path] === null) !== (theirs[path] === null)

const side = FastCheck.array(doing, { minLength: 1, maxLength: 5, size: "max" }).map(applied)

// One side moves a file and makes the very change that the other makes where it was.
const changed = text(linesOf("docs/e.txt")).replace("docs/e.txt line 1\n", "one 1\n")
const carried: FileEdits = { "docs/e.txt": null, "moved/one.txt": changed }
const carrier: FileEdits = { "docs/e.txt": changed, "a.txt": text(linesOf("a.txt")).replace("line 0", "one") }

// One side moves a file and adds another that might be a merge of it by chance.
const one = text(linesOf("a.txt")).replace("a.txt line 0", "one 0")
const twoPlaces: FileEdits = {
  "a.txt": one,
  "moved/one.txt": one,
  "src/c.txt": null,
  "moved/three.txt": text(linesOf("src/c.txt"))
}
const changer: FileEdits = { "src/c.txt": text(linesOf("src/c.txt")).replace("src/c.txt line 0", "one 0") }

// One side moves a file; the other changes it, and puts what it was before at the very place where it went.
const gone: FileEdits = { "src/d.txt": null, "moved/one.txt": text(linesOf("src/d.txt")) }
const copier: FileEdits = {
  "src/d.txt": text(linesOf("src/d.txt")).replace("src/d.txt line 0", "one 0"),
  "moved/one.txt": text(linesOf("src/d.txt")),
  "a.txt": one
}

describe("The audit's own merge of trees", () => {
  it("agrees with git on every clean merge of random edits and moves, and sees each file that was slipped in or altered", async () => {
    const directory = join(root, "repositories")
    let [merges, moves] = [0, 0]
    const program = (ours: FileEdits, theirs: FileEdits, n: number) =>
      Effect.gen(function* () {
        const repositories = yield* Repositories
        const { cand, edit, merge, s0, ws } = yield* scene(repositories, projectId(n), base)
        const one = yield* edit(ws(1), s0.commit, ours)
        const two = yield* edit(ws(2), s0.commit, theirs)
        const first = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        const merged = yield* Effect.result(merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit]))
        if (merged._tag === "Failure") {
          expect(merged.failure._tag).toBe("MergeConflict")
          return
        }
        merges++
        if (Object.keys(ours).some((path) => path.startsWith("moved/"))) moves++
        const trees = { ref: cand(1), base: s0.tree, ours: first.tree, theirs: two.tree }
        expect(yield* differences({ ...trees, result: merged.success.tree })).toEqual([])
        yield* repositories.fork(ws(3))
        const read = yield* repositories.files(cand(1), merged.success.tree)
        const [path = "", file] = [...read][0] ?? []
        for (const [at, content] of [
          ["slipped.txt", "in"],
          [path, `${new TextDecoder().decode(file?.content)}and more\n`],
          [path, null]
        ] as const) {
          const altered = yield* repositories.commit({
            into: cand(1),
            base: merged.success.commit,
            edits: { [at]: content },
            message: "altered",
            signature: { name: "x", email: "x", atMs: 0 }
          })
          const told = yield* differences({ ...trees, result: altered.tree })
          expect(told).toContain(at)
          // Once its new place is altered, nothing says where a file went that the other side changed.
          const lost = at.startsWith("moved/") ? paths.filter((old) => isMovedAndChanged(ours, theirs, old)) : []
          expect(told.filter((each) => each !== at && !lost.includes(each))).toEqual([])
        }
      })
    const checked = Effect.gen(function* () {
      const context = yield* Effect.context<Repositories>()
      let n = 0
      const property = FastCheck.asyncProperty(side, side, (ours, theirs) =>
        Effect.runPromise(Effect.provide(program(ours, theirs, ++n), context))
      )
      yield* Effect.promise(() =>
        FastCheck.assert(property, {
          numRuns: rounds({ quick: 6, deep: 30, long: 200 }),
          seed,
          examples: [
            [carried, carrier],
            [twoPlaces, changer],
            [gone, copier]
          ]
        })
      )
    })
    await Effect.runPromise(Effect.provide(checked, layer({ directory })))
    console.log(`${merges} clean merges, ${moves} with a file that moved`)
    expect(merges).toBeGreaterThan(depth === "quick" ? 0 : 5)
    expect(moves).toBeGreaterThan(0)
  }, 1_100_000)
})
