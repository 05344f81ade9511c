import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  candidate,
  projectId,
  scene,
  signature,
  tagOf,
  textFiles,
  textOf,
  workspace
} from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { repositoryFixture } from "./RepositoryFixture.ts"

const fixture = repositoryFixture()

describe("GitRepositories against hostile content", () => {
  it("hands out no tree with a path or mode that Pawl refuses, builds on none and merges none", async () => {
    const { git, plant, run } = fixture()
    await run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        yield* edit(ws(1), s0.commit, { x: "1" })
        const blob = git(ws(1), ["hash-object", "-w", "--stdin"], "../../../../etc/passwd")
        const inner = git(ws(1), ["mktree", "-z"], `100644 blob ${blob}\tconfig\0`)
        const file = `100644 blob ${blob}\t`
        const planted: ReadonlyArray<ReadonlyArray<string | Uint8Array>> = [
          [`040000 tree ${inner}\t.git`],
          [`040000 tree ${inner}\t.GIT`],
          [`040000 tree ${inner}\tgit~1`],
          [`040000 tree ${inner}\t..`],
          [`${file}..`],
          [`120000 blob ${blob}\tlink`],
          [`160000 commit ${s0.commit}\tmodule`],
          [`${file}a\\b`],
          [`${file}a\nb`],
          [`${file}readme`, `${file}README`],
          [Buffer.concat([Buffer.from(file), Buffer.from([0xff, 0xfe])])],
          [`${file}${"x".repeat(300)}`]
        ]
        for (const lines of planted) {
          const { commit, tree } = plant(ws(1), lines, s0.commit)
          const caseOnly = lines.length === 2
          expect([lines, yield* tagOf(repositories.files(ws(1), tree))]).toEqual([lines, "RepositoriesUnavailable"])
          if (!caseOnly)
            expect([lines, yield* tagOf(repositories.list(ws(1), tree))]).toEqual([lines, "RepositoriesUnavailable"])
          expect([
            lines,
            yield* tagOf(repositories.commit({ into: ws(1), base: commit, edits: { y: "1" }, message: "", signature }))
          ]).toEqual([lines, "InvalidPath"])
          expect([lines, yield* tagOf(merge(cand(1), s0.commit, [ws(1), commit]))]).toEqual([lines, "InvalidPath"])
        }
        const link = plant(ws(1), [`120000 blob ${blob}\tlink`], s0.commit)
        expect(yield* tagOf(repositories.read(ws(1), link.tree, "link"))).toBe("InvalidPath")
      })
    )
  })

  it("stops a tree of few objects and countless entries at its bound, in every operation", async () => {
    const { git, plant, run } = fixture()
    await run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        yield* edit(ws(1), s0.commit, { x: "1" })
        const blob = git(ws(1), ["hash-object", "-w", "--stdin"], "bomb")
        let lines = Array.from({ length: 10 }, (_, i) => `100644 blob ${blob}\tf${i}`)
        for (let depth = 0; depth < 8; depth++) {
          const tree = git(ws(1), ["mktree", "-z"], lines.map((line) => `${line}\0`).join(""))
          lines = Array.from({ length: 10 }, (_, i) => `040000 tree ${tree}\td${i}`)
        }
        const { commit, tree } = plant(ws(1), lines, s0.commit)
        for (const attempt of [
          repositories.list(ws(1), tree),
          repositories.files(ws(1), tree),
          repositories.commit({ into: ws(1), base: commit, edits: {}, message: "", signature }),
          merge(cand(1), s0.commit, [ws(1), commit]),
          repositories.diff(ws(1), s0.tree, tree),
          repositories.diffText(ws(1), s0.tree, tree)
        ])
          expect(yield* tagOf<unknown, { readonly _tag: string }>(attempt)).toBe("TreeTooLarge")
        expect(Limits.sourceEntries).toBeLessThan(10 ** 8)
      })
    )
  })

  it("runs no hook, and lets neither the machine's environment nor a repository's attributes steer git", async () => {
    const { directory, git, gitDir, run } = fixture()
    const project = projectId(1)
    const trace = join(directory, "ran")
    const script = `#!/bin/sh\ntouch ${trace}\n`
    const before = { ...process.env }
    Object.assign(process.env, {
      GIT_DIR: "/nonexistent",
      GIT_OBJECT_DIRECTORY: "/nonexistent",
      GIT_EXTERNAL_DIFF: "false",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "diff.external",
      GIT_CONFIG_VALUE_0: `touch ${trace}`,
      GIT_AUTHOR_NAME: "someone else"
    })
    try {
      await run((repositories) =>
        Effect.gen(function* () {
          const { cand, edit, merge, s0, ws } = yield* scene(repositories, project, {
            a: "1\n",
            ".gitattributes": "* diff=evil merge=evil filter=evil\n",
            ".gitmodules": '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n'
          })
          yield* repositories.fork(ws(1))
          yield* repositories.fork(cand(1))
          for (const ref of [{ project }, ws(1), cand(1)]) {
            mkdirSync(join(gitDir(ref), "hooks"))
            for (const hook of [
              "reference-transaction",
              "post-update",
              "update",
              "pre-receive",
              "post-commit",
              "fsmonitor-watchman"
            ])
              writeFileSync(join(gitDir(ref), "hooks", hook), script, { mode: 0o755 })
          }
          const made = yield* edit(ws(1), s0.commit, { a: "2\n" })
          const merged = yield* merge(cand(1), s0.commit, [ws(1), made.commit])
          yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
          expect(yield* Effect.flatMap(repositories.diffText(cand(1), s0.commit, merged.commit), textOf)).toContain(
            "-1\n+2\n"
          )
          yield* repositories.commitTree({
            into: cand(1),
            tree: s0.tree,
            parents: [merged.commit],
            message: "",
            signature
          })
        })
      )
    } finally {
      for (const key of Object.keys(process.env)) if (!(key in before)) delete process.env[key]
    }
    expect(existsSync(trace)).toBe(false)
    expect(git({ project }, ["log", "--format=%an", "main"]).split("\n")).toEqual(["Pawl", "Pawl", "Pawl"])
  })

  it("takes a name that is no id for a defect, before it is a path", async () => {
    const { directory, run } = fixture()
    const outside = join(directory, "..", "outside")
    await run((repositories) =>
      Effect.gen(function* () {
        const { project } = yield* scene(repositories)
        for (const ref of [
          { project: "../outside" },
          { project: `${project}/../x` },
          { project: "" },
          { project, fork: "../canon" },
          { project, fork: "ws-../../x" },
          { project, fork: "cand-cand_ABC" },
          { project, fork: `${candidate(project, 1).fork}/..` },
          { project, fork: `${workspace(project, 1).fork}\n` }
        ])
          for (const attempt of [
            repositories.remove(ref),
            repositories.resolve(ref, "0".repeat(40)),
            repositories.fork({ fork: "x", ...ref })
          ])
            expect((yield* Effect.exit<unknown, unknown, never>(attempt)).toString()).toContain(
              "not the name of a repository"
            )
      })
    )
    expect(existsSync(outside)).toBe(false)
  })

  it("borrows from canonical only, and moves with its folder", async () => {
    const { gitDir, run } = fixture()
    await run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const made = yield* edit(ws(1), s0.commit, { x: "1" })
        yield* merge(cand(1), s0.commit, [ws(1), made.commit])
        for (const ref of [ws(1), cand(1)])
          expect(readFileSync(join(gitDir(ref), "objects/info/alternates"), "utf8")).toBe(
            "../../../canon.git/objects\n"
          )
      })
    )
  })

  it("merges lines of one file, follows a renamed file, and keeps a file executable", async () => {
    const { git, run } = fixture()
    await run((repositories) =>
      Effect.gen(function* () {
        const lines = Array.from({ length: 30 }, (_, i) => `line ${i}\n`)
        const text = (changes: Record<number, string>) => lines.map((line, i) => changes[i] ?? line).join("")
        const { cand, edit, merge, s0, ws } = yield* scene(repositories, projectId(1), {
          "a.txt": text({}),
          run: "#!/bin/sh\n"
        })
        yield* repositories.fork(ws(3))
        const tree = git(
          ws(3),
          ["mktree", "-z"],
          git(ws(3), ["ls-tree", "-z", s0.tree])
            .replace("100644 blob", "100644 blob")
            .replace(/100644( blob [0-9a-f]{40}\trun)/, "100755$1")
        )
        const executable = git(ws(3), ["commit-tree", tree, "-p", s0.commit], "x")
        const one = yield* edit(ws(1), s0.commit, { "a.txt": null, "b.txt": text({ 1: "one\n" }) })
        const two = yield* edit(ws(2), s0.commit, { "a.txt": text({ 28: "two\n" }) })
        const three = yield* edit(ws(3), executable, { run: "#!/bin/sh\ntrue\n" })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit], [ws(3), three.commit])
        expect(yield* textFiles(repositories, cand(1), merged.tree)).toEqual({
          "b.txt": text({ 1: "one\n", 28: "two\n" }),
          run: "#!/bin/sh\ntrue\n"
        })
        expect(
          (yield* repositories.list(cand(1), merged.tree)).map(({ executable: bit, path }) => [path, bit])
        ).toEqual([
          ["b.txt", false],
          ["run", true]
        ])
        expect(git(cand(1), ["log", "--merges", "--format=%P", merged.commit]).split("\n")).toHaveLength(3)
      })
    )
  })
})
