/** What every `Repositories` promises of canonical `main` and of reading what was written. Part of `RepositoriesContract`. */
import { Effect, Stream } from "effect"
import { expect, it } from "vitest"
import {
  base,
  projectId,
  type Run,
  scene,
  signature,
  tagOf,
  text,
  textFiles,
  textOf,
  unknownId
} from "./RepositoriesScene.ts"
import { rounds, slice } from "../../Depth.ts"

/** Where somebody may ask for what changed: a file, a folder, what a pattern or a magic word would find, and no path at all. */
const askedWithin = [
  "src/a.ts",
  "src",
  "src/new",
  "src2.ts",
  "[ab].txt",
  ":(top)x",
  "README.md",
  "none",
  "sr",
  "*.ts",
  "../src",
  "/src",
  "src/",
  "",
  ".git/config"
]

/** Declares the tests of moving `main`, to be run within a suite. */
export const declareAdvances = (run: Run): void => {
  it("advances main to a merge, brings all it was made of, and needs its fork no longer", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, canon, edit, merge, project, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
        yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
        yield* repositories.remove(cand(1))
        yield* repositories.remove(ws(1))
        yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
        expect(yield* repositories.main(project)).toEqual(merged)
        expect(yield* repositories.resolve(canon, one.commit)).toEqual(one)
        expect(yield* textFiles(repositories, canon, merged.tree)).toEqual({ ...base, x: "1" })
        expect(yield* textFiles(repositories, canon, s0.tree)).toEqual(base)
      })
    ))

  it("moves main only forward and only from where it is expected; of many at once exactly one wins", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, project, s0, ws } = yield* scene(repositories)
        // Each makes a commit and a merge before they race.
        const numbers = Array.from({ length: rounds({ quick: 6, deep: 10, long: 20 }) }, (_, i) => i + 1)
        const made = yield* Effect.forEach(numbers, (n) =>
          Effect.flatMap(edit(ws(n), s0.commit, { x: `${n}` }), ({ commit }) =>
            merge(cand(n), s0.commit, [ws(n), commit])
          )
        )
        const attempts = yield* Effect.forEach(
          made.map(({ commit }, i) => ({ commit, from: cand(i + 1) })),
          ({ commit, from }) => Effect.result(repositories.advance({ project, from, expected: s0.commit, commit })),
          { concurrency: "unbounded" }
        )
        const winners = attempts.flatMap((attempt, i) => (attempt._tag === "Success" ? [i] : []))
        expect(winners).toHaveLength(1)
        const main = yield* repositories.main(project)
        expect(main).toEqual(made[winners[0] ?? -1])
        for (const attempt of attempts)
          if (attempt._tag === "Failure") expect(attempt.failure._tag).toBe("NotFastForward")
        for (const [expected, commit] of [
          [main.commit, s0.commit],
          [s0.commit, s0.commit],
          [main.commit, made.find(({ commit }) => commit !== main.commit)?.commit ?? ""]
        ] as const)
          for (const from of [cand(1), cand(2), cand(3)]) {
            const attempt = yield* Effect.result(repositories.advance({ project, from, expected, commit }))
            expect(
              attempt._tag === "Failure" && ["NotFastForward", "ObjectNotFound"].includes(attempt.failure._tag)
            ).toBe(true)
          }
        expect(yield* repositories.main(project)).toEqual(main)
      })
    ))

  it("answers ObjectNotFound for a fork or commit that is not there, and main stays", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, project, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        yield* repositories.fork(cand(1))
        for (const [from, commit] of [
          [cand(1), one.commit],
          [cand(2), one.commit],
          [ws(1), unknownId],
          [ws(1), "--help"],
          [ws(1), one.tree]
        ] as const)
          expect(yield* tagOf(repositories.advance({ project, from, expected: s0.commit, commit }))).toBe(
            "ObjectNotFound"
          )
        expect(yield* repositories.main(project)).toEqual(s0)
      })
    ))

  it("goes on over many generations, in forks that are older than main too", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, canon, edit, merge, project, s0, ws } = yield* scene(repositories)
        yield* repositories.fork(ws(99))
        let main = s0
        const generations = rounds({ quick: 5, deep: 15, long: 40 })
        for (let n = 1; n <= generations; n++) {
          const made = yield* edit(ws(n), main.commit, { count: `${n}\n`, [`f/${n}`]: `${n}` })
          const merged = yield* merge(cand(n), main.commit, [ws(n), made.commit])
          yield* repositories.advance({ project, from: cand(n), expected: main.commit, commit: merged.commit })
          main = merged
        }
        expect(yield* repositories.main(project)).toEqual(main)
        expect(Object.keys(yield* textFiles(repositories, canon, main.tree))).toHaveLength(5 + generations)
        expect(yield* textFiles(repositories, canon, s0.tree)).toEqual(base)
        const late = yield* repositories.commit({
          into: ws(99),
          base: main.commit,
          edits: { count: "late" },
          message: "late",
          signature
        })
        expect(text(yield* repositories.read(ws(99), late.tree, "count"))).toBe("late")
      })
    ))
}

/** Declares the tests of reading, to be run within a suite. */
export const declareReading = (run: Run): void => {
  it("lists files and directories in path order, with their sizes", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { canon, s0 } = yield* scene(repositories, projectId(1), {
          "a.b": "1",
          "a/x": "22",
          "a/b/c": "333",
          a0: "",
          "\uff5e": "1",
          "😀": "1",
          B: "1"
        })
        const entries = yield* repositories.list(canon, s0.tree)
        expect(entries.map(({ path }) => path)).toEqual(["B", "a", "a.b", "a/b", "a/b/c", "a/x", "a0", "\uff5e", "😀"])
        expect(entries.find(({ path }) => path === "a/b/c")).toMatchObject({ type: "file", size: 3, executable: false })
        expect(entries.find(({ path }) => path === "a/b")).toMatchObject({
          type: "directory",
          size: 0,
          executable: false
        })
        for (const { id } of entries) expect(id).toMatch(/^[0-9a-f]{40}$/)
      })
    ))

  it("answers ObjectNotFound for trees, commits, paths and repositories that are not there", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { canon, s0, ws } = yield* scene(repositories)
        for (const id of [unknownId, "", "HEAD", "--help", s0.commit]) {
          expect(yield* tagOf(repositories.list(canon, id))).toBe("ObjectNotFound")
          expect(yield* tagOf(repositories.files(canon, id))).toBe("ObjectNotFound")
          expect(yield* Effect.flip(repositories.read(canon, id, "README.md"))).toMatchObject({
            _tag: "ObjectNotFound",
            what: "tree"
          })
        }
        for (const id of [unknownId, "main", s0.tree])
          expect(yield* tagOf(repositories.resolve(canon, id))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.diff(canon, s0.tree, unknownId))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.diffText(canon, "--help", s0.tree))).toBe("ObjectNotFound")
        for (const path of ["nope", "src", "src/nope", "README.md/x", "readme.md"])
          expect(yield* Effect.flip(repositories.read(canon, s0.tree, path))).toMatchObject({
            _tag: "ObjectNotFound",
            what: "path"
          })
        for (const path of ["../README.md", "/etc/passwd", ".git/config", "src/", ""])
          expect(yield* tagOf(repositories.read(canon, s0.tree, path))).toBe("InvalidPath")
        expect(yield* tagOf(repositories.list(ws(1), s0.tree))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.resolve({ project: projectId(8) }, s0.commit))).toBe("ObjectNotFound")
      })
    ))

  it("tells what changed between two trees or commits, file by file, with its patch", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories, projectId(1), { ...base, bin: { base64: "AAEC" } })
        const made = yield* edit(ws(1), s0.commit, {
          "src/a.ts": "a\ntwo\ndiff --git a/x b/x\n",
          "src/b.ts": null,
          "new é.txt": "1\n2\n",
          empty: "",
          bin: { base64: "AAED" }
        })
        const files = yield* repositories.diff(ws(1), s0.commit, made.commit)
        expect(files.map(({ additions, deletions, path, status }) => [path, status, additions, deletions])).toEqual([
          ["bin", "modified", 0, 0],
          ["empty", "added", 0, 0],
          ["new é.txt", "added", 2, 0],
          ["src/a.ts", "modified", 2, 0],
          ["src/b.ts", "deleted", 0, 1]
        ])
        const patch = (path: string) => files.find((file) => file.path === path)?.patch
        expect(patch("bin")).toBe("")
        expect(patch("src/a.ts")).toContain("@@ -1 +1,3 @@\n a\n+two\n+diff --git a/x b/x\n")
        expect(patch("src/b.ts")).toContain("\n--- a/src/b.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n")
        expect(yield* repositories.diff(ws(1), s0.tree, made.tree)).toEqual(files)
        const found = yield* repositories.diffText(ws(1), s0.tree, made.commit)
        const whole = yield* textOf(found)
        expect(found.sizeBytes).toBe(new TextEncoder().encode(whole).length)
        expect(yield* textOf(found)).toBe(whole)
        expect(yield* found.changes).toEqual(files.map(({ patch: _, ...change }) => change))
        for (const { path } of files.filter((file) => file.patch !== "")) expect(whole).toContain(patch(path) ?? "-")
        expect(yield* repositories.diff(ws(1), made.commit, made.commit)).toEqual([])
        expect(yield* Effect.flatMap(repositories.diffText(ws(1), made.commit, made.tree), textOf)).toBe("")
      })
    ))

  it("tells what changed at one path, and below it, to the letter", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        const made = yield* edit(ws(1), s0.commit, {
          "src/a.ts": "a\nmore\n",
          "src/new/c.ts": "c\n",
          "src2.ts": "2\n",
          "[ab].txt": "brackets\n",
          "a.txt": "one\n",
          ":(top)x": "colon\n"
        })
        const all = yield* repositories.diff(ws(1), s0.tree, made.tree)
        for (const within of slice(askedWithin, { quick: 5 })) {
          const kept = all.filter(({ path }) => path === within || path.startsWith(`${within}/`))
          expect({ within, files: yield* repositories.diff(ws(1), s0.tree, made.tree, within) }).toEqual({
            within,
            files: kept
          })
          const text = yield* repositories.diffText(ws(1), s0.tree, made.tree, within)
          const whole = yield* textOf(text)
          expect({ within, whole, size: text.sizeBytes }).toEqual({
            within,
            whole: kept.map(({ patch }) => patch).join(""),
            size: new TextEncoder().encode(whole).length
          })
          expect(yield* text.changes).toEqual(kept.map(({ patch: _, ...change }) => change))
        }
        expect((yield* repositories.diff(ws(1), s0.tree, made.tree, "src")).length).toBe(2)
        expect(yield* tagOf(repositories.diff(ws(1), s0.tree, unknownId, "src"))).toBe("ObjectNotFound")
      })
    ))

  it("hands out a file and a diff in pieces, short or long, as often as they are read", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const long = Array.from({ length: 40_000 }, (_, index) => `é ${index} ${"x".repeat(40)}\n`).join("")
        const { edit, s0, ws } = yield* scene(repositories)
        const made = yield* edit(ws(1), s0.commit, { "long.txt": long, "short.txt": "short", "empty.txt": "" })
        for (const [path, content] of Object.entries({ "long.txt": long, "short.txt": "short", "empty.txt": "" })) {
          const file = yield* repositories.open(ws(1), made.tree, path)
          expect(file.sizeBytes).toBe(new TextEncoder().encode(content).length)
          for (const _ of ["once", "again"]) expect((yield* textOf(file)) === content).toBe(true)
          yield* Stream.runDrain(Stream.take(file.pieces, 1))
        }
        const diff = yield* repositories.diffText(ws(1), s0.tree, made.tree)
        const files = yield* repositories.diff(ws(1), s0.tree, made.tree)
        const patch = files.find((file) => file.path === "long.txt")?.patch ?? "-"
        for (const _ of ["once", "again"]) {
          const whole = yield* textOf(diff)
          expect(new TextEncoder().encode(whole).length).toBe(diff.sizeBytes)
          expect(whole.includes(patch)).toBe(true)
        }
        expect(yield* diff.changes).toEqual(files.map(({ patch: _, ...change }) => change))
        expect(yield* tagOf(repositories.open(ws(1), made.tree, "none.txt"))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.open(ws(1), made.tree, "../out"))).toBe("InvalidPath")
        expect(yield* tagOf(repositories.open(ws(1), unknownId, "long.txt"))).toBe("ObjectNotFound")
      })
    ))

  it("joins what a repository lies in, and everything is read and written as before", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { canon, cand, edit, merge, project, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        yield* Effect.all(
          [canon, ws(1), cand(1), canon].map((ref) => repositories.compact(ref)),
          { concurrency: "unbounded" }
        )
        yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
        yield* repositories.compact(canon)
        expect(yield* repositories.main(project)).toMatchObject({ commit: merged.commit, tree: merged.tree })
        expect((yield* textFiles(repositories, ws(1), one.tree))["x"]).toBe("1")
        expect(yield* tagOf(repositories.compact(ws(2)))).toBe("ObjectNotFound")
      })
    ))

  it("removes with canonical every fork that is left", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { canon, cand, edit, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        yield* repositories.fork(cand(1))
        yield* repositories.remove(canon)
        for (const ref of [ws(1), cand(1)])
          expect(yield* tagOf(repositories.resolve(ref, one.commit))).toBe("ObjectNotFound")
        const again = yield* scene(repositories)
        yield* repositories.fork(ws(1))
        expect(yield* tagOf(repositories.resolve(ws(1), one.commit))).toBe("ObjectNotFound")
        expect(yield* again.edit(ws(1), s0.commit, { x: "1" })).toEqual(one)
      })
    ))

  it("removes a whole Project, fork by fork, and takes it again from the start", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { canon, edit, project, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        for (const ref of [ws(1), ws(2), canon, canon]) yield* repositories.remove(ref)
        expect(yield* tagOf(repositories.main(project))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.fork(ws(1)))).toBe("ObjectNotFound")
        const again = yield* scene(repositories)
        expect(again.s0).toEqual(s0)
        yield* repositories.fork(ws(1))
        expect(yield* tagOf(repositories.resolve(ws(1), one.commit))).toBe("ObjectNotFound")
        expect(yield* again.edit(ws(1), s0.commit, { x: "1" })).toEqual(one)
      })
    ))
}
