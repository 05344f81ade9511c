/** What every `Repositories` promises. */
import { Effect, type Layer } from "effect"
import { here, type Within } from "../../tools/StoreFixtures.ts"
import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import { Repositories } from "@pawl/core/project/Repositories"
import { declareAudits } from "./RepositoriesAudits.ts"
import { declareAdvances, declareReading } from "./RepositoriesHistory.ts"
import { declareMerges } from "./RepositoriesMerges.ts"
import {
  base,
  projectId,
  type Run,
  scene,
  signature,
  tagOf,
  text,
  textFiles,
  unknownId,
  workspace
} from "./RepositoriesScene.ts"

const hostilePaths = [
  "",
  "/etc/passwd",
  "../x",
  "a/../../x",
  "a/./b",
  "a//b",
  "a/",
  "a\\b",
  "C:/x",
  "a\nb",
  "a\0b",
  "\u202ea",
  "\ud800",
  ".git",
  ".git/config",
  "a/.GIT/hooks/x",
  ".git ./x",
  "git~1",
  "GIT~1/config",
  ".git::$INDEX_ALLOCATION",
  ".g\u200cit/config",
  `${"x".repeat(256)}/a`,
  "a/".repeat(600) + "a"
]

/** Declares the suite. Each test gets a fresh layer; every one must start empty. */
export const repositoriesContract = (
  name: string,
  {
    layer,
    within = here
  }: {
    readonly layer: () => Layer.Layer<Repositories, unknown>
    /** Runs a whole test elsewhere; here, when it is not said. */
    readonly within?: Within
  }
): void => {
  const run: Run = (use) => within(() => Effect.runPromise(Effect.provide(Effect.flatMap(Repositories, use), layer())))

  describe(`Repositories: ${name}`, () => {
    declareSeeding(run)
    declareCommits(run)
    declareMerges(run)
    declareAdvances(run)
    declareReading(run)
    declareAudits(run)
  })
}

const declareSeeding = (run: Run): void => {
  it("seeds once: repeating it, even twenty times at once, answers the same commit", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const project = projectId(1)
        expect(yield* tagOf(repositories.main(project))).toBe("ObjectNotFound")
        const made = yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => repositories.seed({ project, files: base, message: "seed", signature }),
          { concurrency: "unbounded" }
        )
        expect(new Set(made.map(({ commit }) => commit)).size).toBe(1)
        expect(yield* tagOf(repositories.main(project))).toBe("ObjectNotFound")
        const begin = repositories.begin({ project, commit: made[0]?.commit ?? "" })
        yield* Effect.all([begin, begin, begin], { concurrency: "unbounded" })
        expect(yield* repositories.main(project)).toEqual(made[0])
        expect(made[0]?.commit).toMatch(/^[0-9a-f]{40}$/)
        expect(yield* textFiles(repositories, { project }, made[0]?.tree ?? "")).toEqual(base)
      })
    ))

  it("keeps Projects apart, and takes a Project without files", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const one = yield* scene(repositories, projectId(1))
        const two = yield* scene(repositories, projectId(2), {})
        expect(yield* repositories.list(two.canon, two.s0.tree)).toEqual([])
        expect(yield* tagOf(repositories.resolve(two.canon, one.s0.commit))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.fork(workspace(projectId(3), 1)))).toBe("ObjectNotFound")
      })
    ))

  it("keeps every seed beside the others, and main is the one that it is told to begin at", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const project = projectId(1)
        const contents = Array.from({ length: 10 }, (_, n) => ({ which: `${n}\n` }))
        const made = yield* Effect.forEach(
          contents,
          (files) => repositories.seed({ project, files, message: "seed", signature }),
          { concurrency: "unbounded" }
        )
        expect(new Set(made.map(({ commit }) => commit)).size).toBe(10)
        for (const [n, { tree }] of made.entries())
          expect(yield* textFiles(repositories, { project }, tree)).toEqual(contents[n])
        yield* repositories.begin({ project, commit: made[4]!.commit })
        expect(yield* repositories.main(project)).toEqual(made[4])
        expect(yield* tagOf(repositories.begin({ project, commit: unknownId }))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.begin({ project: projectId(9), commit: made[4]!.commit }))).toBe(
          "ObjectNotFound"
        )
      })
    ))

  it("begins main anew at another seed, as after a crash, and never once main has moved on", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, project, s0, ws } = yield* scene(repositories)
        const other = yield* repositories.seed({ project, files: { other: "x" }, message: "seed", signature })
        expect(yield* repositories.main(project)).toEqual(s0)
        yield* repositories.begin({ project, commit: other.commit })
        expect(yield* repositories.main(project)).toEqual(other)
        yield* repositories.begin({ project, commit: s0.commit })
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
        yield* repositories.begin({ project, commit: s0.commit })
        expect(yield* tagOf(repositories.begin({ project, commit: other.commit }))).toBe("NotFastForward")
        expect(yield* repositories.main(project)).toEqual(merged)
      })
    ))

  it("refuses every path that leaves the tree, hides, or collides, and writes nothing", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        for (const path of hostilePaths) {
          expect([
            path,
            yield* tagOf(repositories.seed({ project: projectId(9), files: { [path]: "x" }, message: "", signature }))
          ]).toEqual([path, "InvalidPath"])
          expect([path, yield* tagOf(edit(ws(1), s0.commit, { [path]: "x" }))]).toEqual([path, "InvalidPath"])
          expect([path, yield* tagOf(edit(ws(1), s0.commit, { [path]: null }))]).toEqual([path, "InvalidPath"])
        }
        for (const edits of [
          { "readme.md": "x" },
          { "README.md/x": "x" },
          { src: "x" },
          { "SRC/x": "x" },
          { é: "1", "e\u0301": "2" },
          { x: { base64: "?" } }
        ])
          expect([edits, yield* tagOf(edit(ws(1), s0.commit, edits))]).toEqual([edits, "InvalidPath"])
        expect(yield* tagOf(repositories.main(projectId(9)))).toBe("ObjectNotFound")
      })
    ))

  it("refuses a tree of too many entries or bytes", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        const many = Object.fromEntries(Array.from({ length: Limits.sourceEntries - 5 }, (_, i) => [`d/${i}`, ""]))
        expect(yield* Effect.flip(edit(ws(1), s0.commit, many))).toMatchObject({
          _tag: "TreeTooLarge",
          limit: "sourceEntries",
          actual: Limits.sourceEntries + 2
        })
        expect(
          yield* Effect.flip(edit(ws(1), s0.commit, { big: "x".repeat(Limits.sourceFileBytes + 1) }))
        ).toMatchObject({ limit: "sourceFileBytes" })
        const large = "x".repeat(Limits.sourceFileBytes)
        const heap = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`${i}`, large]))
        expect(yield* Effect.flip(edit(ws(1), s0.commit, heap))).toMatchObject({ limit: "sourceTotalBytes" })
      })
    ))
}

const declareCommits = (run: Run): void => {
  it("commits additions, changes and deletions, and a file in a directory's place", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        const binary = Uint8Array.from({ length: 256 }, (_, i) => i)
        const made = yield* edit(ws(1), s0.commit, {
          "src/a.ts": "A\n",
          "src/b.ts": null,
          "not/there": null,
          "src/deep/c.ts": null,
          "src/deep": "now a file\n",
          "new/dir/file": { base64: btoa(String.fromCharCode(...binary)) },
          ["__proto__"]: "x",
          "日本/é 😀.txt": "語\n"
        })
        expect(yield* repositories.resolve(ws(1), made.commit)).toEqual(made)
        const files = yield* repositories.files(ws(1), made.tree)
        expect([...files.keys()].sort()).toEqual([
          "README.md",
          "__proto__",
          "new/dir/file",
          "src/a.ts",
          "src/deep",
          "日本/é 😀.txt"
        ])
        expect(files.get("new/dir/file")?.content).toEqual(binary)
        expect(text(yield* repositories.read(ws(1), made.tree, "日本/é 😀.txt"))).toBe("語\n")
        expect(yield* repositories.main(projectId(1))).toEqual(s0)
      })
    ))

  it("gives the same commit for the same edits anywhere, and the base's tree for edits that change nothing", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1", "y/z": "2" })
        expect(yield* edit(ws(2), s0.commit, { "y/z": "2", x: "1" })).toEqual(one)
        expect(yield* edit(ws(1), s0.commit, { x: "1", "y/z": "2" })).toEqual(one)
        const same = yield* edit(ws(1), s0.commit, { "src/a.ts": "a\n", nothing: null })
        expect(same.tree).toBe(s0.tree)
        expect(same.commit).not.toBe(s0.commit)
        expect((yield* edit(ws(1), one.commit, { x: null, "y/z": null })).tree).toBe(s0.tree)
      })
    ))

  it("builds on a commit of another fork only when that is named, and outlives that fork", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        const first = yield* edit(ws(1), s0.commit, { x: "1" })
        expect(yield* tagOf(edit(ws(2), first.commit, { y: "2" }))).toBe("ObjectNotFound")
        expect(yield* tagOf(edit(ws(2), first.commit, { y: "2" }, [ws(7)]))).toBe("ObjectNotFound")
        const second = yield* edit(ws(2), first.commit, { y: "2" }, [ws(7), ws(1)])
        yield* repositories.remove(ws(1))
        expect(yield* tagOf(repositories.resolve(ws(1), first.commit))).toBe("ObjectNotFound")
        expect(yield* textFiles(repositories, ws(2), second.tree)).toEqual({ ...base, x: "1", y: "2" })
        yield* repositories.remove(ws(1))
      })
    ))

  it("leaves a fork that exists as it is", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        const made = yield* edit(ws(1), s0.commit, { x: "1" })
        yield* Effect.forEach(Array.from({ length: 8 }), () => repositories.fork(ws(1)), { concurrency: "unbounded" })
        expect(yield* repositories.resolve(ws(1), made.commit)).toEqual(made)
      })
    ))

  it("takes a fork that nobody was told of for any other from the first that is written to it", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        const commits = [{ from: ws(1), commit: one.commit, message: "merge" }]
        yield* repositories.fork(cand(1), "passing")
        yield* repositories.fork(cand(1), "passing")
        const made = yield* repositories.merge({ into: cand(1), base: s0.commit, commits, signature })
        yield* repositories.fork(cand(1), "passing")
        yield* repositories.fork(cand(1))
        expect(yield* repositories.resolve(cand(1), made.commit)).toEqual(made)
        const two = yield* edit(ws(2), made.commit, { y: "2" }, [cand(1)])
        expect(yield* textFiles(repositories, ws(2), two.tree)).toEqual({ ...base, x: "1", y: "2" })
      })
    ))

  it("commits in many forks at once as if one after another", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        const numbers = Array.from({ length: 12 }, (_, i) => i + 1)
        const made = yield* Effect.forEach(numbers, (n) => edit(ws(n), s0.commit, { [`f${n}`]: `${n}` }), {
          concurrency: "unbounded"
        })
        for (const [i, { tree }] of made.entries())
          expect(yield* textFiles(repositories, ws(i + 1), tree)).toEqual({ ...base, [`f${i + 1}`]: `${i + 1}` })
      })
    ))

  it("makes the same commit of the same content by either way, whatever its message and names", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { edit, s0, ws } = yield* scene(repositories)
        const made = yield* edit(ws(1), s0.commit, { x: "1" })
        for (const [message, who, atMs] of [
          ["", "", 0],
          ["one\0two\n\n", " <a>\n b, ", 999],
          ["é \ud800\r\n# x", '"é" O\'', 4_102_444_800_999]
        ] as const) {
          const signed = { name: who, email: who, atMs }
          const written = yield* repositories.commit({
            into: ws(1),
            base: made.commit,
            edits: {},
            message,
            signature: signed
          })
          expect(
            yield* repositories.commitTree({
              into: ws(1),
              tree: made.tree,
              parents: [made.commit],
              message,
              signature: signed
            })
          ).toEqual(written)
        }
      })
    ))

  it("makes a commit of a tree and parents that are there, and of no others", () =>
    run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, s0, ws } = yield* scene(repositories)
        const made = yield* edit(ws(1), s0.commit, { x: "1" })
        const into = ws(1)
        const back = yield* repositories.commitTree({
          into,
          tree: s0.tree,
          parents: [made.commit],
          message: "back\n\nto S0\n",
          signature
        })
        expect(back.tree).toBe(s0.tree)
        expect(yield* repositories.resolve(into, back.commit)).toEqual(back)
        for (const [tree, parent] of [
          [unknownId, made.commit],
          [s0.tree, unknownId],
          [s0.tree, "--help"],
          [s0.commit, made.commit],
          [s0.tree, s0.tree]
        ] as const)
          expect(yield* tagOf(repositories.commitTree({ into, tree, parents: [parent], message: "", signature }))).toBe(
            "ObjectNotFound"
          )
        expect(
          yield* tagOf(repositories.commitTree({ into: cand(1), tree: s0.tree, parents: [], message: "", signature }))
        ).toBe("ObjectNotFound")
      })
    ))
}
