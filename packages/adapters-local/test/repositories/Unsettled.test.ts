/** Forks that nobody was told of before something was merged in them: what of them is on the disk, and when. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import { projectId, scene, signature, tagOf } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { oneFile } from "../OneFile.ts"
import { repositoryFixture } from "./RepositoryFixture.ts"
import { unsynced } from "./Unsynced.ts"

const fixture = repositoryFixture()
const straceMissing = spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", "true"]).status === 0 ? null : "needs strace"

const mark = "unsettled"
const pathsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** An unsettled fork with all that a merge writes, as a process leaves it that ends before the disk has it. */
const left = async () => {
  const { directory, git, gitDir, run } = fixture()
  const composed = await run((repositories) =>
    Effect.gen(function* () {
      const { cand, edit, s0, ws } = yield* scene(repositories)
      const one = yield* edit(ws(1), s0.commit, { "a/one.txt": "1" })
      const compose = {
        into: cand(1),
        base: s0.commit,
        commits: [{ from: ws(1), commit: one.commit, message: "merge" }],
        signature
      }
      yield* repositories.fork(cand(1), "passing")
      return { compose, made: yield* repositories.merge(compose) }
    })
  )
  const { compose } = composed
  const fork: RepositoryRef = compose.into
  expect(existsSync(join(gitDir(fork), mark))).toBe(false)
  writeFileSync(join(gitDir(fork), mark), "")
  const again = () =>
    run((repositories) => Effect.andThen(repositories.fork(compose.into, "passing"), repositories.merge(compose)))
  const isWhole = () => git(fork, ["fsck", "--strict", "--connectivity-only"])
  return { ...composed, directory, fork, gitDir: gitDir(fork), again, isWhole, git, run }
}

describe("A fork that nobody was told of yet", () => {
  it("is made anew by who finds it unsettled, whichever of its files a power cut has emptied or taken", async () => {
    const first = await left()
    // What it shares with another fork is on the disk.
    const files = pathsIn(first.gitDir)
      .filter((path) => lstatSync(path).nlink === 1)
      .map((path) => path.slice(first.gitDir.length + 1))
      .filter((path) => path !== mark)
    expect(files.length).toBeGreaterThan(4)
    for (const file of files)
      for (const lose of [(path: string) => truncateSync(path), (path: string) => rmSync(path)]) {
        const { again, gitDir, isWhole, made } = await left()
        lose(join(gitDir, file))
        expect([file, await again()]).toEqual([file, made])
        isWhole()
        expect(existsSync(join(gitDir, mark))).toBe(false)
      }
  })

  it("keeps what was written to it once that is on the disk, however often it is made", async () => {
    const { compose, gitDir, made, run } = await left()
    rmSync(join(gitDir, mark))
    const before = pathsIn(gitDir)
    await run((repositories) =>
      Effect.gen(function* () {
        yield* repositories.fork(compose.into, "passing")
        yield* repositories.fork(compose.into)
        expect(yield* repositories.resolve(compose.into, made.commit)).toEqual(made)
      })
    )
    expect(pathsIn(gitDir)).toEqual(before)
  })

  it("is settled by the first that takes from it", async () => {
    const { gitDir, run } = fixture()
    await run((repositories) =>
      Effect.gen(function* () {
        const { cand, edit, s0, ws } = yield* scene(repositories)
        yield* repositories.fork(cand(1), "passing")
        expect(existsSync(join(gitDir(cand(1)), mark))).toBe(true)
        expect(yield* tagOf(edit(ws(1), "1".repeat(40), { x: "1" }, [cand(1)]))).toBe("ObjectNotFound")
        expect(existsSync(join(gitDir(cand(1)), mark))).toBe(false)
        yield* edit(ws(1), s0.commit, { x: "1" })
      })
    )
  })

  it.skipIf(straceMissing !== null)(
    `has all that a merge wrote on the disk before that is answered (${straceMissing ?? "watched with strace"})`,
    async () => {
      const { directory } = fixture()
      const trace = `${directory}.trace`
      const program = await oneFile(fileURLToPath(new URL("./MergeOnce.ts", import.meta.url)))
      const calls = "trace=openat,write,pwrite64,writev,mkdir,rename,link,unlink,fsync,fdatasync,exit_group"
      execFileSync("strace", [
        "-f",
        "-qq",
        "-yy",
        "-s",
        "32",
        "-e",
        calls,
        "-o",
        trace,
        process.execPath,
        program,
        directory
      ])
      const { answered, lasting, synced } = unsynced(readFileSync(trace, "utf8"), "answered")
      expect(answered).toBe(true)
      const isOf = (fork: string) => (path: string) => path.includes(`/forks/${fork}`)
      for (const fork of ["cand-cand_000000000000000000000001", "cand-cand_000000000000000000000002"]) {
        expect(lasting.filter(isOf(fork))).toEqual([])
        expect(synced.filter(isOf(fork)).length).toBeGreaterThan(8)
      }
      expect(lasting.filter((path) => path.endsWith(`${projectId(1)}/forks`))).toEqual([])
    }
  )
})
