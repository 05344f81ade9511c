import { spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { setImmediate as nextTurn } from "node:timers/promises"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { projectId, scene, signature, tagOf, textFiles } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import * as GitReaders from "../../src/repositories/GitReaders.ts"
import { numbers, rounds, slice } from "@pawl/testing/Depth"
import { oneFile } from "../OneFile.ts"
import { repositoryFixture } from "./RepositoryFixture.ts"

const fixture = repositoryFixture()
const filesUnder = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** Lays each object of a fork's packs into a file of its own. */
const unpack = (
  git: ReturnType<typeof fixture>["git"],
  gitDir: ReturnType<typeof fixture>["gitDir"],
  ref: RepositoryRef
): void => {
  const folder = join(gitDir(ref), "objects/pack")
  const packs = filesUnder(folder).filter((path) => path.endsWith(".pack"))
  const contents = packs.map((path) => readFileSync(path))
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  for (const pack of contents) git(ref, ["unpack-objects", "-q"], pack)
}

describe("GitRepositories on a machine that breaks", () => {
  it("answers the right bytes or RepositoriesUnavailable, never others, whichever byte of its objects flips", async () => {
    const { git, gitDir, run } = fixture()
    const content = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`d${i % 3}/f${i}`, `${"text ".repeat(i)}${i}\n`])
    )
    const made = await run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories, projectId(1), content)
        const one = yield* edit(ws(1), s0.commit, { "d0/f0": "changed\n", "e/new": "new\n" })
        const two = yield* edit(ws(2), s0.commit, { "d2/f11": "other\n" })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit])
        return { ref: cand(1), merged }
      })
    )
    const expected = { ...content, "d0/f0": "changed\n", "d2/f11": "other\n", "e/new": "new\n" }
    const objects = [
      ...filesUnder(join(gitDir({ project: projectId(1) }), "objects")),
      ...filesUnder(join(gitDir(made.ref), "objects"))
    ].filter((path) => path.endsWith(".pack") || /\/[0-9a-f]{38}$/.test(path))
    expect(objects.length).toBeGreaterThan(4)
    let refused = 0
    for (const [n, path] of objects.entries()) {
      const whole = readFileSync(path)
      chmodSync(path, 0o644)
      const positions = path.endsWith(".pack")
        ? Array.from({ length: 14 }, (_, i) => 13 + Math.floor(((whole.length - 35) * (i + n / 9)) / 15))
        : [0, 1, 2 + (n % 5), whole.length - 6, whole.length - 1]
      for (const position of slice(positions, { quick: Math.ceil(positions.length / 3) })) {
        const broken = Buffer.from(whole)
        broken.writeUInt8((broken[position] ?? 0) ^ (1 << (position % 8)), position)
        writeFileSync(path, broken)
        await run((repositories) =>
          Effect.gen(function* () {
            const files = yield* Effect.result(textFiles(repositories, made.ref, made.merged.tree))
            if (files._tag === "Success") expect(files.success).toEqual(expected)
            else {
              refused++
              expect([path, position, files.failure]).toEqual([
                path,
                position,
                expect.objectContaining({ _tag: "RepositoriesUnavailable" })
              ])
              expect(JSON.stringify(files.failure)).not.toContain(gitDir(made.ref))
            }
            for (const [file, text] of [
              ["d0/f0", "changed\n"],
              ["d2/f11", "other\n"]
            ] as const) {
              const bytes = yield* Effect.result(repositories.read(made.ref, made.merged.tree, file))
              if (bytes._tag === "Success") expect(new TextDecoder().decode(bytes.success)).toBe(text)
              else expect(bytes.failure._tag).toBe("RepositoriesUnavailable")
            }
          })
        )
      }
      writeFileSync(path, whole)
    }
    expect(refused).toBeGreaterThan(rounds({ quick: 3, deep: 10 }))
    await run((repositories) =>
      Effect.map(textFiles(repositories, made.ref, made.merged.tree), (files) => expect(files).toEqual(expected))
    )
    git(made.ref, ["fsck", "--strict"])
  })

  it("takes an empty object for a broken repository, reads on beside it, and works again when it is whole", async () => {
    const { git, gitDir, run } = fixture()
    await run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        unpack(git, gitDir, cand(1))
        const path = join(gitDir(cand(1)), "objects", merged.commit.slice(0, 2), merged.commit.slice(2))
        const whole = readFileSync(path)
        chmodSync(path, 0o644)
        truncateSync(path, 0)
        expect(yield* tagOf(repositories.resolve(cand(1), merged.commit))).toBe("RepositoriesUnavailable")
        expect(yield* tagOf(merge(cand(1), merged.commit, [ws(1), one.commit]))).toBe("RepositoriesUnavailable")
        expect(
          yield* tagOf(
            repositories.advance({ project: projectId(1), from: cand(1), expected: s0.commit, commit: merged.commit })
          )
        ).toBe("RepositoriesUnavailable")
        expect(yield* repositories.resolve(cand(1), one.commit)).toEqual(one)
        writeFileSync(path, whole)
        yield* repositories.advance({
          project: projectId(1),
          from: cand(1),
          expected: s0.commit,
          commit: merged.commit
        })
        expect(yield* repositories.main(projectId(1))).toEqual(merged)
      })
    )
  })

  it("never lets main rest on a history with a hole", async () => {
    const { git, gitDir, run } = fixture()
    await run((repositories) =>
      Effect.gen(function* () {
        const { edit, project, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1", "y/z": "2" })
        const blob = git(ws(1), ["rev-parse", `${one.tree}:y/z`])
        unpack(git, gitDir, ws(1))
        rmSync(join(gitDir(ws(1)), "objects", blob.slice(0, 2), blob.slice(2)))
        expect(
          yield* tagOf(repositories.advance({ project, from: ws(1), expected: s0.commit, commit: one.commit }))
        ).toBe("RepositoriesUnavailable")
        expect(yield* repositories.main(project)).toEqual(s0)
        expect(yield* tagOf(repositories.read(ws(1), one.tree, "y/z"))).toBe("RepositoriesUnavailable")
        expect(yield* tagOf(repositories.files(ws(1), one.tree))).toBe("RepositoriesUnavailable")
      })
    )
  })

  it("sweeps the locks and halves of a killed git before it writes", async () => {
    const { directory, gitDir, run } = fixture()
    const first = await run((repositories) =>
      Effect.gen(function* () {
        const { edit, project, s0, ws } = yield* scene(repositories)
        return { project, s0, ws: ws(1), one: yield* edit(ws(1), s0.commit, { x: "1" }) }
      })
    )
    const { one, project, s0, ws } = first
    const next = { into: ws, base: one.commit, edits: { y: "2" }, message: "m", signature }
    const stale = [
      ...[
        "HEAD.lock",
        "packed-refs.lock",
        "config.lock",
        "refs/heads/main.lock",
        "objects/pack/tmp_pack_1a",
        "objects/pack/.tmp-7-pack-x.idx",
        "objects/tmp_objdir-x/aa/bb",
        "objects/ab/tmp_obj_2b",
        "objects/info/x.lock"
      ].flatMap((name) => [join(gitDir({ project }), name), join(gitDir(ws), name)]),
      join(gitDir({ project }), "..", ".making-x", "HEAD"),
      join(gitDir({ project }), "..", ".removing-x", "HEAD")
    ]
    for (const path of stale) {
      mkdirSync(join(path, ".."), { recursive: true })
      writeFileSync(path, "")
    }
    await run((repositories) =>
      Effect.gen(function* () {
        const two = yield* repositories.commit(next)
        yield* repositories.advance({ project, from: ws, expected: s0.commit, commit: two.commit })
        expect(yield* repositories.main(project)).toEqual(two)
      })
    )
    expect(stale.filter((path) => existsSync(path))).toEqual([])
    expect(filesUnder(directory).filter((path) => /\.lock$|tmp/.test(path.slice(directory.length)))).toEqual([])
  })

  it("is not held up by what an interrupted operation leaves", async () => {
    const { directory, run } = fixture()
    await run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, merge, project, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { x: "1" })
        for (let turns = 0; turns < 400; turns += 10) {
          const work = Effect.flatMap(merge(cand(1), s0.commit, [ws(1), one.commit]), ({ commit }) =>
            repositories.advance({ project, from: cand(1), expected: s0.commit, commit })
          )
          const fiber = yield* Effect.forkChild(work)
          for (let turn = 0; turn < turns; turn++) yield* Effect.promise(() => nextTurn())
          yield* Fiber.interrupt(fiber)
        }
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
        expect(yield* repositories.main(project)).toEqual(merged)
        yield* edit(ws(2), merged.commit, { y: "2" })
      })
    )
    expect(filesUnder(directory).filter((path) => path.endsWith(".lock"))).toEqual([])
  })

  it("loses no acknowledged commit and stays whole when it is killed in the middle of anything", async () => {
    const { directory, git, run } = fixture()
    await run((repositories) => scene(repositories))
    const program = await oneFile(fileURLToPath(new URL("./MergeForever.ts", import.meta.url)))
    for (const round of numbers(10, { quick: 5 })) {
      const child = spawn(process.execPath, [program, directory, String(round * 1000)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const acknowledged: Array<{
        readonly ref: { readonly project: string; readonly fork?: string }
        readonly made: { readonly commit: string; readonly tree: string }
      }> = []
      for await (const line of createInterface(child.stdout)) {
        acknowledged.push(JSON.parse(line))
        if (acknowledged.length !== 3 + (round % 4)) continue
        for (let turn = 0; turn < round * 30; turn++) await nextTurn()
        child.kill("SIGKILL")
      }
      expect(acknowledged.length).toBeGreaterThan(2)
      await run((repositories) =>
        Effect.gen(function* () {
          for (const { made, ref } of acknowledged) {
            expect(yield* repositories.resolve(ref, made.commit)).toEqual(made)
            yield* repositories.files(ref, made.tree)
          }
          const main = yield* repositories.main(projectId(1))
          const last = acknowledged.filter(({ ref }) => ref.fork === undefined).at(-1)
          git({ project: projectId(1) }, ["merge-base", "--is-ancestor", last?.made.commit ?? "", main.commit])
          yield* repositories.files({ project: projectId(1) }, main.tree)
          git({ project: projectId(1) }, ["fsck", "--full", "--strict"])
        })
      )
    }
  })

  it("keeps at most so many readers, closes idle ones, and answers through a new one when one breaks", async () => {
    const { gitDir, run } = fixture()
    const { refs, s0 } = await run((repositories) =>
      Effect.gen(function* () {
        const { s0: seeded, ws } = yield* scene(repositories)
        const made = Array.from({ length: LocalLimits.gitReaders + 8 }, (_, i) => ws(i + 1))
        yield* Effect.forEach(made, (ref) => repositories.fork(ref))
        return { refs: made, s0: seeded }
      })
    )
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const readers = yield* GitReaders.make
          const found = yield* Effect.forEach(
            [...refs, ...refs],
            (ref) => readers.contents(gitDir(ref), s0.commit, 10_000),
            { concurrency: "unbounded" }
          )
          for (const object of found) expect(object?.type).toBe("commit")
          expect(yield* readers.count).toBe(LocalLimits.gitReaders)
          const [first] = refs
          if (first === undefined) return
          expect((yield* Effect.flip(readers.contents(gitDir(first), s0.commit, 10)))._tag).toBe(
            "RepositoriesUnavailable"
          )
          expect((yield* readers.contents(gitDir(first), s0.commit, 10_000))?.type).toBe("commit")
          yield* TestClock.adjust(`${LocalLimits.gitReaderIdleMs * 2} millis`)
          expect(yield* readers.count).toBe(0)
          expect((yield* readers.info(gitDir(first), s0.commit))?.type).toBe("commit")
        })
      ).pipe(Effect.provide(TestClock.layer()))
    )
  })
})
