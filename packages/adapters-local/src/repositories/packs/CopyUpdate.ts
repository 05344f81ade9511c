/** Brings a copy to where the log is: its packs are fetched, and unpacked by one git however many there are. */
import { rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { PackedRepository } from "@pawl/core/project/PackLog"
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { succeed } from "../GitCommand.ts"
import { create } from "../FolderFiles.ts"
import { io } from "../GitFolder.ts"
import { passing } from "../GitWriter.ts"
import { LocalLimits } from "../../LocalLimits.ts"
import type { RepositoryPath } from "../RepositoryPath.ts"
import type { Copy } from "./CacheFolder.ts"
import { areMany, bytesOf, objectFiles } from "./ObjectFiles.ts"
import { sideBySide, trailerOf } from "./PackBytes.ts"
import type { FetchedPack, OldList, PackSource } from "./PackSource.ts"

const unpack = (gitDir: string, pack: Uint8Array) =>
  Effect.asVoid(succeed({ gitDir, args: ["index-pack", "--stdin", "--fix-thin"], stdin: pack, settings: passing }))

/**
 * The packs in their order, in two parts of about as many bytes where they are many: a git works on one processor, and each
 * part is handed to one of its own.
 */
const parts = (packs: ReadonlyArray<Uint8Array>): ReadonlyArray<ReadonlyArray<Uint8Array>> => {
  const all = packs.reduce((sum, { length }) => sum + length, 0)
  if (all < 2 * LocalLimits.packPartBytes) return [packs]
  let sum = 0
  const middle = packs.findIndex(({ length }) => (sum += length) > all / 2)
  return [packs.slice(0, middle), packs.slice(middle)].filter(({ length }) => length > 0)
}

const unpackAll = (gitDir: string, packs: ReadonlyArray<Uint8Array>) =>
  Effect.forEach(parts(packs), (some) => unpack(gitDir, sideBySide(some)), { concurrency: "unbounded", discard: true })

/** Puts packs into a repository. Those with an index cost no git at all. */
export const putPacks = (
  gitDir: string,
  packs: ReadonlyArray<FetchedPack>
): Effect.Effect<void, RepositoriesUnavailable> =>
  Effect.gen(function* () {
    const bare: Array<Uint8Array> = []
    for (const { index, pack } of packs) {
      if (index === null) {
        bare.push(pack)
        continue
      }
      const path = join(gitDir, "objects/pack", `pack-${trailerOf(pack)}`)
      yield* io("unpack", async () => {
        await writeFile(`${path}.pack`, pack, { mode: 0o600 })
        // The index last: git reads a pack by it.
        await writeFile(`${path}.idx`, index, { mode: 0o600 })
      })
    }
    if (bare.length === 0) return
    // One after the other where git does not take them together: two may bring the base of the same delta along.
    yield* Effect.catchTag(unpackAll(gitDir, bare), "RepositoriesUnavailable", (problem) =>
      bare.length === 1 ? problem : Effect.forEach(bare, (pack) => unpack(gitDir, pack), { discard: true })
    )
  })

const setMain = async (gitDir: string, commit: string): Promise<void> => {
  const ref = join(gitDir, "refs/heads/main")
  await writeFile(`${ref}.lock`, `${commit}\n`, { mode: 0o600 })
  await rename(`${ref}.lock`, ref)
}

/** Joins the pieces of a copy in which nothing is that others do not have; null where they are few. */
const joined = (gitDir: string, files: ReadonlySet<string>) =>
  Effect.gen(function* () {
    if (!areMany(files)) return null
    const there = yield* io("list", () => objectFiles(gitDir))
    if (there.some((name) => !files.has(name))) return null
    yield* succeed({ gitDir, args: ["repack", "-d", "-q", "--geometric=2"], settings: passing })
    return new Set(yield* io("list", () => objectFiles(gitDir)))
  })

/**
 * A copy that is what `found` says, made out of `copy` where that is one of the same repository. Only in the Project's
 * turn. `OldList` where bytes are gone that the list names.
 */
export const updatedCopy = (
  source: PackSource,
  { gitDir, ...path }: RepositoryPath,
  copy: Copy | undefined,
  found: PackedRepository
): Effect.Effect<Copy, OldList | RepositoriesUnavailable> =>
  Effect.gen(function* () {
    const listing = io("list", () => objectFiles(gitDir))
    const packs = yield* source.fetchAll(found.packs)
    if (copy === undefined) yield* io("create", () => create({ gitDir, ...path }, "passing"))
    const before = new Set(packs.length === 0 ? [] : yield* listing)
    yield* putPacks(gitDir, packs)
    const fresh = packs.length === 0 ? [] : (yield* listing).filter((name) => !before.has(name))
    const all = new Set([...(copy?.files ?? []), ...fresh])
    const files = packs.length === 0 ? all : ((yield* joined(gitDir, all)) ?? all)
    const { born, main, through } = found
    if (main !== null && copy?.main !== main) yield* io("main", () => setMain(gitDir, main))
    const addedBytes = yield* io("list", () => bytesOf(gitDir, files === all ? fresh : [...files]))
    const sizeBytes = addedBytes + (files === all ? (copy?.sizeBytes ?? 0) : 0)
    return { born, through, main, files, sizeBytes }
  })
