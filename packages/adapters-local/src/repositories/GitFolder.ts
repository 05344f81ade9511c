/** A repository as files: made, swept, kept alive and joined by this process's own hands, where git would take a process each. */
import { randomUUID } from "node:crypto"
import { copyFile, link, lstat, mkdir, readdir, readFile, rename, rm, rmdir, unlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import {
  absent,
  codeOf,
  type Keeping,
  makeDirectory,
  publish,
  syncDirectory,
  syncFile,
  unless,
  writeSynced
} from "../objects/DurableFile.ts"
import { type GitObject, looseObject } from "./GitObjects.ts"
import { isObjectId, type RepositoryPath } from "./RepositoryPath.ts"

/** File work as an effect that is not interrupted half way. */
export const io = <A>(operation: string, work: () => Promise<A>): Effect.Effect<A, RepositoriesUnavailable> =>
  Effect.uninterruptible(
    Effect.tryPromise({
      try: work,
      catch: (cause) => new RepositoriesUnavailable({ operation, reason: codeOf(cause) })
    })
  )

// A fork lies beside canonical, one folder deeper; relative, so that the data folder can be moved.
const borrowed = "../../../canon.git/objects\n"
/** The `config` of every repository: bare, and nothing else. */
export const bareConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"

// Names of folders that are being made or removed; what an ended process left of them is swept.
/** How the name of a folder begins that is being made; one that is left over is swept. */
export const makingMark = ".making-"
const removingMark = ".removing-"

/** Whether a repository is there: it has a `HEAD` that is a plain file. */
export const exists = async (gitDir: string): Promise<boolean> =>
  (await unless(lstat(join(gitDir, "HEAD")), absent, undefined))?.isFile() ?? false

/** Whether a repository is there, and a fork finds what it borrows. */
export const stands = async ({ gitDir, isFork }: RepositoryPath): Promise<boolean> =>
  (await exists(gitDir)) &&
  (!isFork || (await unless(readFile(join(gitDir, "objects/info/alternates"), "latin1"), absent, "")) === borrowed)

/**
 * Makes an empty repository under its name in one step. One that is there is left as it is. One that is `passing` need not
 * outlast a power cut.
 */
export const create = async (
  { gitDir, isFork, projectDir }: RepositoryPath,
  keeping: Keeping = "lasting"
): Promise<void> => {
  if (await exists(gitDir)) return
  await makeDirectory(dirname(gitDir))
  const making = join(projectDir, `${makingMark}${randomUUID()}`)
  try {
    await Promise.all(
      ["objects/info", "objects/pack", "refs/heads", "refs/keep"].map((path) =>
        mkdir(join(making, path), { recursive: true })
      )
    )
    const files: Readonly<Record<string, string>> = {
      HEAD: "ref: refs/heads/main\n",
      config: bareConfig,
      ...(isFork ? { "objects/info/alternates": borrowed } : {})
    }
    const written = Object.entries(files)
    await Promise.all(written.map(([path, text]) => writeFile(join(making, path), text, { flag: "wx", mode: 0o600 })))
    if (keeping === "lasting")
      // All at once: syncs that wait beside each other share the disk's time.
      await Promise.all([
        ...written.map(([path]) => syncFile(join(making, path))),
        ...["", "objects", "objects/info", "refs"].map((path) => syncDirectory(join(making, path)))
      ])
    await unless(rename(making, gitDir), ["ENOTEMPTY", "EEXIST"], undefined)
    if (keeping === "lasting") await syncDirectory(dirname(gitDir))
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

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

const names = (folder: string) => unless(readdir(folder, { withFileTypes: true }), absent, [])

/** The forks of a Project, as they lie there. */
export const forksIn = async (canonical: RepositoryPath): Promise<ReadonlyArray<RepositoryPath>> => {
  const folder = join(canonical.projectDir, "forks")
  return (await names(folder)).map(({ name }) => ({ ...canonical, name, gitDir: join(folder, name), isFork: true }))
}

const isStale = (name: string): boolean => name.endsWith(".lock") || /^\.?tmp[_-]/.test(name)

/** Removes the folders that an ended process was making or removing. Only who has the Project to itself may. */
export const sweepMaking = async ({ projectDir }: RepositoryPath): Promise<void> => {
  for (const entry of await names(projectDir))
    if (entry.name.startsWith(makingMark) || entry.name.startsWith(removingMark))
      await rm(join(projectDir, entry.name), { recursive: true, force: true })
}

/** Removes what an ended process left: locks, which would block a ref for ever, and half-written packs and objects. */
export const sweep = async (path: RepositoryPath): Promise<void> => {
  const { gitDir } = path
  await sweepMaking(path)
  const visit = async (folder: string, deep: boolean): Promise<void> => {
    for (const entry of await names(folder)) {
      const path = join(folder, entry.name)
      if (isStale(entry.name)) await rm(path, { recursive: true, force: true })
      else if (deep && entry.isDirectory()) await visit(path, true)
    }
  }
  await visit(gitDir, false)
  await visit(join(gitDir, "refs"), true)
  await visit(join(gitDir, "objects"), true)
}

/** Writes one object as a file of its own. */
export const writeLoose = async (gitDir: string, object: GitObject, keeping: Keeping): Promise<void> => {
  const target = join(gitDir, "objects", object.id.slice(0, 2), object.id.slice(2))
  const folder = dirname(target)
  const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined
  const temporary = join(folder, `tmp_obj_${randomUUID()}`)
  const isNamed = isNew && keeping === "lasting"
  await Promise.all([
    writeSynced(temporary, looseObject(object), keeping),
    ...(isNamed ? [syncDirectory(dirname(folder))] : [])
  ])
  await publish(temporary, target, keeping)
}

/** Gives a commit a ref of its own. The ref's name says its value, so that making it again changes nothing. */
export const keep = async (gitDir: string, commit: string, keeping: Keeping = "lasting"): Promise<void> => {
  const ref = join(gitDir, "refs/keep", commit)
  if ((await unless(readFile(ref, "latin1"), absent, "")).trim() === commit) return
  const lock = `${ref}.lock`
  await unless(unlink(lock), absent, undefined)
  await writeSynced(lock, `${commit}\n`, keeping)
  await publish(lock, ref, keeping)
}

/** The commit of `main`, or `undefined` when there is none yet. */
export const readMain = async (gitDir: string): Promise<string | undefined> => {
  const text = await unless(readFile(join(gitDir, "refs/heads/main"), "latin1"), absent, undefined)
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
  await (now === from ? publish(lock, ref, keeping) : unlink(lock))
  return now
}

/** How many packs the repository itself holds, without those that it borrows. */
export const countPacks = async (gitDir: string): Promise<number> =>
  (await names(join(gitDir, "objects/pack"))).filter(({ name }) => name.endsWith(".pack")).length

const share = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to)
  } catch (cause) {
    const code = codeOf(cause)
    if (code === "EEXIST") return
    if (!["EMLINK", "EPERM", "EXDEV", "ENOTSUP", "EOPNOTSUPP"].includes(code)) throw cause
    const temporary = join(dirname(to), `tmp_obj_${randomUUID()}`)
    await copyFile(from, temporary)
    await rename(temporary, to)
  }
}

/**
 * Gives one fork all objects of another, as files of its own: object files never change, so that both can hold
 * the same bytes under their own names, and neither needs the other to stay. No process, no copy.
 */
export const shareObjects = async (fromDir: string, intoDir: string, keeping: Keeping): Promise<void> => {
  const [from, into] = [join(fromDir, "objects"), join(intoDir, "objects")]
  const packs = (await names(join(from, "pack")))
    .map(({ name }) => name)
    .filter((name) => /^pack-[0-9a-f]{40}\.(pack|rev|idx)$/.test(name))
  // The index last: git reads a pack by it.
  for (const suffix of [".rev", ".pack", ".idx"])
    for (const name of packs.filter((pack) => pack.endsWith(suffix)))
      await share(join(from, "pack", name), join(into, "pack", name))
  const fans = (await names(from)).map(({ name }) => name).filter((name) => /^[0-9a-f]{2}$/.test(name))
  for (const fan of fans) {
    await mkdir(join(into, fan), { recursive: true, mode: 0o700 })
    for (const { name } of await names(join(from, fan)))
      if (/^[0-9a-f]{38}$/.test(name)) await share(join(from, fan, name), join(into, fan, name))
  }
  if (keeping === "lasting")
    await Promise.all(
      ["", ...fans, ...(packs.length > 0 ? ["pack"] : [])].map((path) => syncDirectory(join(into, path)))
    )
}
