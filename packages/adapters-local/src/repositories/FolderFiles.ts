/**
 * What is made in the folder of a repository, where git would take a process each. It loads nothing but Node's own: a thread
 * of its own does it (`FolderThread`).
 */
import { randomUUID } from "node:crypto"
import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import type { Keeping } from "@pawl/core/ledger/Commit"
import {
  absent,
  codeOf,
  makeDirectory,
  publish,
  syncDirectory,
  syncFile,
  unlessNow,
  writeSynced
} from "../objects/DurableFile.ts"
import { type GitObject, looseObject } from "./GitObjects.ts"
import { writePack } from "./PackFile.ts"
import type { RepositoryPath } from "./RepositoryPath.ts"

/** Where a fork finds canonical's objects: one folder deeper; relative, so that the data folder can be moved. */
export const borrowed = "../../../canon.git/objects\n"
/** The `config` of every repository: bare, and nothing else. */
export const bareConfig = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"

/**
 * In a repository of which nobody was told: it may not outlast a power cut, and who finds it without having made it makes it
 * anew. It goes when all that is in the repository does outlast one.
 */
const unsettledMark = "unsettled"

/** How the name of a folder begins that is being made; one that is left over is swept. */
export const makingMark = ".making-"

/** Whether a repository is there: it has a `HEAD` that is a plain file. */
export const exists = async (gitDir: string): Promise<boolean> =>
  unlessNow(() => lstatSync(join(gitDir, "HEAD")), absent, undefined)?.isFile() ?? false

/** What lies in a folder; nothing where there is none. */
export const names = (folder: string) => unlessNow(() => readdirSync(folder, { withFileTypes: true }), absent, [])

/**
 * Makes an empty repository under its name in one step. One that is there is left as it is. One that is `passing` need not
 * outlast a power cut.
 */
export const create = async (
  { gitDir, isFork, projectDir }: RepositoryPath,
  keeping: Keeping | "unsettled" = "lasting"
): Promise<void> => {
  if (await exists(gitDir)) return
  await makeDirectory(dirname(gitDir))
  const making = join(projectDir, `${makingMark}${randomUUID()}`)
  try {
    for (const path of ["objects/info", "objects/pack", "refs/heads", "refs/keep"])
      mkdirSync(join(making, path), { recursive: true })
    const files: Readonly<Record<string, string>> = {
      // First: file systems keep names in the order in which they were given.
      ...(keeping === "unsettled" ? { [unsettledMark]: "" } : {}),
      HEAD: "ref: refs/heads/main\n",
      config: bareConfig,
      ...(isFork ? { "objects/info/alternates": borrowed } : {})
    }
    const written = Object.entries(files)
    for (const [path, text] of written) writeFileSync(join(making, path), text, { flag: "wx", mode: 0o600 })
    if (keeping === "lasting")
      // All at once: syncs that wait beside each other share the disk's time.
      await Promise.all([
        ...written.map(([path]) => syncFile(join(making, path))),
        ...["", "objects", "objects/info", "refs"].map((path) => syncDirectory(join(making, path)))
      ])
    unlessNow(() => renameSync(making, gitDir), ["ENOTEMPTY", "EEXIST"], undefined)
    if (keeping === "lasting") await syncDirectory(dirname(gitDir))
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

/** Whether a repository need not outlast a power cut yet. */
export const isUnsettled = (gitDir: string): boolean =>
  unlessNow(() => lstatSync(join(gitDir, unsettledMark)), absent, undefined) !== undefined

/** Makes an empty repository that is to be settled. One that an ended process left unsettled is made anew. */
export const createUnsettled = async (path: RepositoryPath): Promise<void> => {
  if (isUnsettled(path.gitDir)) rmSync(path.gitDir, { recursive: true, force: true })
  await create(path, "unsettled")
}

const syncAll = async (folder: string): Promise<void> => {
  const synced = names(folder).map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return syncAll(path)
    // What has a second name was shared by another repository, which is on the disk.
    if (entry.isFile() && lstatSync(path).nlink === 1) return syncFile(path)
  })
  await Promise.all([...synced, syncDirectory(folder)])
}

/** Makes all of a repository outlast a power cut, in one wait for the disk. */
export const settle = async (gitDir: string): Promise<void> => {
  await Promise.all([syncAll(gitDir), syncDirectory(dirname(gitDir))])
  unlessNow(() => unlinkSync(join(gitDir, unsettledMark)), absent, undefined)
}

const writeOne = async (gitDir: string, object: GitObject, keeping: Keeping): Promise<void> => {
  const target = join(gitDir, "objects", object.id.slice(0, 2), object.id.slice(2))
  const folder = dirname(target)
  const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined
  const temporary = join(folder, `tmp_obj_${randomUUID()}`)
  const isNamed = isNew && keeping === "lasting"
  await Promise.all([
    writeSynced(temporary, looseObject(object), keeping),
    ...(isNamed ? [syncDirectory(dirname(folder))] : [])
  ])
  await publish(temporary, target, keeping)
}

/** Writes each object as a file of its own. */
export const writeLoose = async (
  gitDir: string,
  objects: ReadonlyArray<GitObject>,
  keeping: Keeping
): Promise<void> => {
  await Promise.all(objects.map((object) => writeOne(gitDir, object, keeping)))
}

/** Gives a commit a ref of its own. The ref's name says its value, so that making it again changes nothing. */
export const keep = async (gitDir: string, commit: string, keeping: Keeping = "lasting"): Promise<void> => {
  const ref = join(gitDir, "refs/keep", commit)
  if (unlessNow(() => readFileSync(ref, "latin1"), absent, "").trim() === commit) return
  const lock = `${ref}.lock`
  unlessNow(() => unlinkSync(lock), absent, undefined)
  await writeSynced(lock, `${commit}\n`, keeping)
  await publish(lock, ref, keeping)
}

const share = (from: string, to: string): void => {
  try {
    linkSync(from, to)
  } catch (cause) {
    const code = codeOf(cause)
    if (code === "EEXIST") return
    if (!["EMLINK", "EPERM", "EXDEV", "ENOTSUP", "EOPNOTSUPP"].includes(code)) throw cause
    const temporary = join(dirname(to), `tmp_obj_${randomUUID()}`)
    copyFileSync(from, temporary)
    renameSync(temporary, to)
  }
}

/**
 * Gives one fork all objects of another, as files of its own: object files never change, so that both can hold
 * the same bytes under their own names, and neither needs the other to stay. No process, no copy.
 */
export const shareObjects = async (fromDir: string, intoDir: string, keeping: Keeping): Promise<void> => {
  const [from, into] = [join(fromDir, "objects"), join(intoDir, "objects")]
  const packs = names(join(from, "pack"))
    .map(({ name }) => name)
    .filter((name) => /^pack-[0-9a-f]{40}\.(pack|rev|idx)$/.test(name))
  // The index last: git reads a pack by it.
  for (const suffix of [".rev", ".pack", ".idx"])
    for (const name of packs.filter((pack) => pack.endsWith(suffix)))
      share(join(from, "pack", name), join(into, "pack", name))
  const fans = names(from)
    .map(({ name }) => name)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
  for (const fan of fans) {
    mkdirSync(join(into, fan), { recursive: true, mode: 0o700 })
    for (const { name } of names(join(from, fan)))
      if (/^[0-9a-f]{38}$/.test(name)) share(join(from, fan, name), join(into, fan, name))
  }
  if (keeping === "lasting")
    await Promise.all(
      ["", ...fans, ...(packs.length > 0 ? ["pack"] : [])].map((path) => syncDirectory(join(into, path)))
    )
}

/** All that the thread does, by its name. */
export const folderWork = { create, createUnsettled, keep, settle, shareObjects, writeLoose, writePack } as const
