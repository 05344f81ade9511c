/**
 * Many packs become one: a base, with its index, for whoever comes without a copy. It is made in a place of its own, out of
 * what the log holds, so that no copy is touched and who reads notices nothing.
 */
import { randomUUID } from "node:crypto"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { isCrowded, type PackedRepository } from "@pawl/core/project/PackLog"
import { ObjectNotFound, type RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import { pipe } from "../GitCommand.ts"
import { bareConfig } from "../FolderFiles.ts"
import { io } from "../GitFolder.ts"
import type { CopyParts } from "./Copies.ts"
import { putPacks } from "./CopyUpdate.ts"
import { away, type OldList, type PackSource } from "./PackSource.ts"

const makePlace = async (place: string): Promise<void> => {
  for (const folder of ["objects/info", "objects/pack", "refs"]) await mkdir(join(place, folder), { recursive: true })
  await writeFile(join(place, "config"), bareConfig)
  await writeFile(join(place, "HEAD"), "ref: refs/heads/main\n")
}

/** The one pack that was made, and its index. */
const readBase = async (folder: string) => {
  const made = (await readdir(folder)).find((name) => /^base-[0-9a-f]{40}\.pack$/.test(name))
  if (made === undefined) throw Object.assign(new Error("no pack was made"), { code: "no pack was made" })
  const [pack, index] = await Promise.all([
    readFile(join(folder, made)),
    readFile(join(folder, made.replace(/pack$/, "idx")))
  ])
  return { pack, index }
}

/** All objects of these packs in one, and its index. */
const joined = (source: PackSource, place: string, { packs }: PackedRepository) =>
  Effect.gen(function* () {
    const fetched = yield* source.fetchAll(packs)
    yield* putPacks(place, fetched)
    const listing = { gitDir: place, args: ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"] }
    const packing = { gitDir: place, args: ["pack-objects", "-q", "--delta-base-offset", join(place, "base")] }
    yield* pipe(listing, packing, [0])
    return yield* io("compact", () => readBase(place))
  })

const compacting = (
  { cache, source }: CopyParts,
  ref: RepositoryRef
): Effect.Effect<void, OldList | ObjectNotFound | RepositoriesUnavailable> =>
  Effect.gen(function* () {
    const found = yield* source.log.since(ref, null)
    if (found === null) return yield* new ObjectNotFound({ what: "repository", id: ref.fork ?? ref.project })
    if (!isCrowded(found)) return
    const place = join(cache.root, `.compacting-${randomUUID()}`)
    const { index, pack } = yield* Effect.acquireUseRelease(
      io("compact", () => makePlace(place)),
      () => joined(source, place, found),
      () => Effect.promise(() => rm(place, { recursive: true, force: true }).catch(() => undefined))
    )
    const base = yield* source.store(ref.project, pack, index)
    const { born, through } = found
    // Another was quicker, or the repository is gone: nobody heard of this one.
    if (!(yield* source.log.replace({ ref, born, through, base }))) yield* source.discard(base)
  })

/** `Repositories.compact`: puts a base in the place of a repository's packs, where these are many. */
export const compact = (
  parts: CopyParts,
  ref: RepositoryRef
): Effect.Effect<void, ObjectNotFound | RepositoriesUnavailable> =>
  compacting(parts, ref).pipe(
    // A base took the place of what the list named: the list is read again, once.
    Effect.retry({ times: 1, while: (error) => error._tag === "OldList" }),
    Effect.catchTag("OldList", ({ key }) => away(`${key} is gone`))
  )
