/** A Project of many merges without a folder of its own: packs in the rows of a Postgres, bases in a bucket of S3. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import * as PgClient from "@pawl/adapters-pg/PgClient"
import { startChild } from "@pawl/adapters-local/spawner/Child"
import { layerSpawner, Processes } from "@pawl/adapters-local/spawner/Processes"
import { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import * as PackRepositories from "@pawl/adapters-local/repositories/packs/PackRepositories"
import * as S3ObjectStore from "@pawl/adapters-s3/S3ObjectStore"
import { candidateFork, type ProjectId, runId, taskId, workspaceFork } from "@pawl/core/primitives/Ids"
import { Repositories } from "@pawl/core/project/Repositories"
import * as SqlStores from "@pawl/sql/SqlStores"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import * as PostgresServer from "../../packages/adapters-pg/test/PostgresServer.ts"
import { makeBucket } from "../../packages/adapters-s3/test/Buckets.ts"
import * as S3Server from "../../packages/adapters-s3/test/S3Server.ts"
import { gitDirOf } from "./RawGit.ts"

/** How many files a Project begins with. */
export const fileCount = 200

const uuid = (n: number): string => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`
export const project: ProjectId = `proj_${uuid(1)}`
const workspace = (n: number) => ({ project, fork: workspaceFork(runId(taskId(`chg_${uuid(n)}`, "edit-1"), 1)) })
const candidate = (n: number) => ({ project, fork: candidateFork(`cand_${n.toString(16).padStart(24, "0")}`) })
const signature = { name: "Bench", email: "bench@localhost", atMs: 1_900_000_000_000 }
const pathOf = (n: number): string => `src/part${n % 20}/file${n % fileCount}.ts`

/** The first generation of the Project. */
export const seeded = Effect.gen(function* () {
  const repositories = yield* Repositories
  const files = Object.fromEntries(
    Array.from({ length: fileCount }, (_, n) => [pathOf(n), `export const value${n} = ${n}\n`.repeat(40)])
  )
  const { commit } = yield* repositories.seed({ project, files, message: "seed", signature })
  yield* repositories.begin({ project, commit })
  return commit
})

/** Milliseconds that each of some merges takes; their ChangeSets, in forks of the same machine, are there before. */
export const mergeTimes = Effect.fnUntraced(function* (first: number, count: number, base: string) {
  const numbers = Array.from({ length: count }, (_, index) => first + index)
  const commits = yield* Effect.forEach(numbers, (n) => proposed(n, base))
  const times: Array<number> = []
  for (const [index, n] of numbers.entries()) {
    const began = performance.now()
    yield* merged(n, base, commits[index]!)
    times.push(performance.now() - began)
  }
  return times
})

/** The n-th ChangeSet, one file on this commit, in a fork of its own. */
export const proposed = Effect.fnUntraced(function* (n: number, base: string) {
  const repositories = yield* Repositories
  const into = workspace(n)
  yield* repositories.fork(into)
  const edits = { [pathOf(n)]: `export const changed = ${n}\n` }
  return (yield* repositories.commit({ into, base, edits, message: `edit ${n}`, signature })).commit
})

/** The n-th Candidate: a fork, and the merge of its ChangeSet. */
export const merged = Effect.fnUntraced(function* (n: number, base: string, commit: string) {
  const repositories = yield* Repositories
  yield* repositories.fork(candidate(n))
  const commits = [{ commit, from: workspace(n), message: `Merge ${n}` }]
  return (yield* repositories.merge({ into: candidate(n), base, commits, signature })).commit
})

/** Moves canonical on by so many merges, each of a ChangeSet on the commit before the last. Answers where it is. */
export const movedOn = Effect.fnUntraced(function* (first: string, count: number, say: (progress: string) => void) {
  const repositories = yield* Repositories
  let [before, at] = [first, first]
  for (let n = 1; n <= count; n++) {
    if (n % 500 === 0) say(`merge ${n} of ${count}`)
    const commit = yield* merged(n, at, yield* proposed(n, before))
    yield* repositories.advance({ project, from: candidate(n), expected: at, commit })
    before = at
    at = commit
  }
  return at
})

/** Canonical's packs become one. */
export const compacted = Effect.flatMap(Repositories, (repositories) => repositories.compact({ project }))

/** What a machine without a copy is asked first: where main is, and which files there are. Answers how many. */
const looked = Effect.gen(function* () {
  const repositories = yield* Repositories
  const { tree } = yield* repositories.main(project)
  return (yield* repositories.list({ project }, tree)).length
})

/** The same on a machine that has its copies already. */
export const warm = <A, E>(work: Effect.Effect<A, E, Repositories>) => Effect.andThen(looked, work)

const run = promisify(execFile)

const mirror = async (gitDir: string, to: string): Promise<void> => {
  await run("git", ["clone", "-q", "--bare", gitDir, to])
  await run("git", ["-C", to, "repack", "-a", "-d", "-q"])
}

const machineAt = (directory: string) => Layer.fresh(PackRepositories.layer({ directory }))

/** Runs git as the repositories of this context do: a server forks no git itself. Rejects where it ends with another code than 0. */
const gitBySpawner = (args: ReadonlyArray<string>) =>
  Effect.flatMap(Processes, (start) =>
    Effect.promise(async () => {
      const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" }
      const child = await startChild(start, { file: "git", args, cwd: "/", env })
      child.stdin.end()
      child.stdout.resume()
      child.stderr.resume()
      const { code } = await child.closed
      if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`)
    })
  )

/** The stores of an installation, and machines on them, whose git is started by a spawner in this folder. */
export const open = async (folder: string) => {
  const postgres = await PostgresServer.startOwn()
  const s3 = await S3Server.start()
  const bucket = await makeBucket(s3)
  const stores = ManagedRuntime.make(
    Layer.mergeAll(
      Layer.provide(SqlStores.layer, PgClient.layer({ url: Redacted.make(postgres.url), schema: "bench" })),
      S3ObjectStore.layer(bucket),
      layerSpawner(folder)
    )
  )
  /** Works on one machine, whose copies are in a folder. */
  const on = <A, E>(directory: string, work: Effect.Effect<A, E, Repositories>): Promise<A> =>
    stores.runPromise(Effect.scoped(Effect.provide(work, machineAt(directory))))
  /** Milliseconds until a machine whose folder is empty knows main and its files. The start of its process is not in it. */
  const cold = (directory: string): Promise<number> =>
    on(
      directory,
      Effect.gen(function* () {
        const began = performance.now()
        const files = yield* looked
        if (files < fileCount) throw new Error(`a cold machine sees ${files} files`)
        return performance.now() - began
      })
    )
  /** A bare repository of what canonical has, in one pack, for a git that serves it. */
  const mirrored = (directory: string, to: string): Promise<void> =>
    stores.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          yield* looked
          const { root } = yield* GitPlace
          yield* Effect.promise(() => mirror(gitDirOf(root, { project }), to))
        }).pipe(Effect.provide(machineAt(directory)))
      )
    )
  const git = (...args: ReadonlyArray<string>): Promise<void> => stores.runPromise(gitBySpawner(args))
  const close = async () => {
    await stores.dispose()
    await s3.stop()
    await postgres.stop()
  }
  return { on, cold, mirrored, git, close }
}
