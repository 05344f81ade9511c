/** The folder of a repository as it stands: where its main is, what is left over in it, and its end. `FolderFiles` makes it. */
import { randomUUID } from "node:crypto"
import { readFileSync, unlinkSync } from "node:fs"
import { rename, rm, rmdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { Keeping } from "@pawl/core/ledger/Commit"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { absent, codeOf, publish, syncDirectory, unless, unlessNow, writeSynced } from "../objects/DurableFile.ts"
import { borrowed, exists, makingMark, names } from "./FolderFiles.ts"
import { isObjectId, type RepositoryPath } from "./RepositoryPath.ts"

/** File work as an effect that is not interrupted half way. */
export const io = <A>(operation: string, work: () => Promise<A>): Effect.Effect<A, RepositoriesUnavailable> =>
  Effect.uninterruptible(
    Effect.tryPromise({
      try: work,
      catch: (cause) => new RepositoriesUnavailable({ operation, reason: codeOf(cause) })
    })
  )

// One that is being removed; what an ended process left of it is swept.
const removingMark = ".removing-"

/** Whether a repository is there, and a fork finds what it borrows. */
export const stands = async ({ gitDir, isFork }: RepositoryPath): Promise<boolean> =>
  (await exists(gitDir)) &&
  (!isFork || unlessNow(() => readFileSync(join(gitDir, "objects/info/alternates"), "latin1"), absent, "") === borrowed)

/** Removes a repository: gone under its name at once, then its files; then the folders that it leaves empty. */
export const remove = async ({ gitDir, projectDir }: RepositoryPath): Promise<void> => {
  const removing = join(projectDir, `${removingMark}${randomUUID()}`)
  if (
    await unless(
      rename(gitDir, removing).then(() => true),
      absent,
      false
    )
  ) {
    await syncDirectory(dirname(gitDir))
    await rm(removing, { recursive: true, force: true })
  }
  for (const folder of [join(projectDir, "forks"), projectDir])
    await unless(rmdir(folder), [...absent, "ENOTEMPTY", "EEXIST"], undefined)
}

/** The forks of a Project, as they lie there. */
export const forksIn = async (canonical: RepositoryPath): Promise<ReadonlyArray<RepositoryPath>> => {
  const folder = join(canonical.projectDir, "forks")
  return names(folder).map(({ name }) => ({ ...canonical, name, gitDir: join(folder, name), isFork: true }))
}

const isStale = (name: string): boolean => name.endsWith(".lock") || /^\.?tmp[_-]/.test(name)

/** Removes the folders that an ended process was making or removing. Only who has the Project to itself may. */
export const sweepMaking = async ({ projectDir }: RepositoryPath): Promise<void> => {
  for (const entry of names(projectDir))
    if (entry.name.startsWith(makingMark) || entry.name.startsWith(removingMark))
      await rm(join(projectDir, entry.name), { recursive: true, force: true })
}

/** Removes what an ended process left: locks, which would block a ref for ever, and half-written packs and objects. */
export const sweep = async (path: RepositoryPath): Promise<void> => {
  const { gitDir } = path
  await sweepMaking(path)
  const visit = async (folder: string, deep: boolean): Promise<void> => {
    for (const entry of names(folder)) {
      const path = join(folder, entry.name)
      if (isStale(entry.name)) await rm(path, { recursive: true, force: true })
      else if (deep && entry.isDirectory()) await visit(path, true)
    }
  }
  await visit(gitDir, false)
  await visit(join(gitDir, "refs"), true)
  await visit(join(gitDir, "objects"), true)
}

/** The commit of `main`, or `undefined` when there is none yet. */
export const readMain = async (gitDir: string): Promise<string | undefined> => {
  const text = unlessNow(() => readFileSync(join(gitDir, "refs/heads/main"), "latin1"), absent, undefined)
  if (text === undefined) return undefined
  const commit = text.trim()
  if (!isObjectId(commit)) throw Object.assign(new Error("main is corrupt"), { code: "main holds no commit" })
  return commit
}

/** Makes `main` this commit where it is at `from`, under the lock that git takes. Answers where it was. */
export const writeMain = async (
  gitDir: string,
  from: string | undefined,
  to: string,
  keeping: Keeping
): Promise<string | undefined> => {
  const ref = join(gitDir, "refs/heads/main")
  const lock = `${ref}.lock`
  await writeSynced(lock, `${to}\n`, keeping)
  const now = await readMain(gitDir)
  if (now === from) await publish(lock, ref, keeping)
  else unlinkSync(lock)
  return now
}

/** How many packs the repository itself holds, without those that it borrows. */
export const countPacks = async (gitDir: string): Promise<number> =>
  names(join(gitDir, "objects/pack")).filter(({ name }) => name.endsWith(".pack")).length
