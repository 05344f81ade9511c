/**
 * The repository of a Project of a data folder that keeps packs in its database: unpacked in a folder of its own, which
 * goes away with the scope. It is read then as any other.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { objectNames } from "@pawl/adapters-local/objects/ObjectPath"
import { create } from "@pawl/adapters-local/repositories/FolderFiles"
import { putPacks } from "@pawl/adapters-local/repositories/packs/CopyUpdate"
import type { ReadOnlyRows } from "@pawl/adapters-local/sqlite/ReadOnlyRows"
import type { MaterialUnreadable } from "@pawl/core/proof/Material"
import { sha256 } from "@pawl/core/primitives/Digest"
import { Effect, type Scope } from "effect"
import { keptFile, unreadable } from "./ProofFiles.ts"

const part = "repo.git"

type Row = Readonly<Record<string, unknown>>

const trying = <A>(work: () => A): Effect.Effect<A, MaterialUnreadable> =>
  Effect.try({ try: work, catch: (error) => unreadable(part, error instanceof Error ? error.message : String(error)) })

/** The row of canonical; null where there is none, as in a database of before. */
const rowOf = (rows: ReadOnlyRows, project: string): Row | null => {
  const tables = rows.all("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'pawl_repo'")
  if (tables.length === 0) return null
  return rows.all("SELECT main FROM pawl_repo WHERE project_id = ? AND fork = ''", project)[0] ?? null
}

/** The bytes of a pack; null where they are gone. */
const bytesOf = ({ body, object }: Row, data: string) =>
  typeof body === "string"
    ? Effect.succeed(Buffer.from(body, "base64"))
    : Effect.flatMap(
        keptFile(join(data, "objects", "objects", ...objectNames(`${String(object)}.pack`)), part),
        (kept) => (kept === null ? Effect.succeed(null) : kept.bytes)
      )

/** What could be unpacked, and what is wrong with the rest in words; null for nothing. */
export interface Unpacked {
  readonly folder: string
  readonly damage: string | null
}

/** Unpacks canonical; null where the data folder keeps none of this Project as packs. */
export const unpacked = Effect.fnUntraced(function* (
  { data, rows }: { readonly data: string; readonly rows: ReadOnlyRows },
  project: string
): Effect.fn.Return<Unpacked | null, MaterialUnreadable, Scope.Scope> {
  const row = yield* trying(() => rowOf(rows, project))
  if (row === null) return null
  const packs = yield* trying(() =>
    rows.all("SELECT object, body, digest FROM pawl_pack WHERE project_id = ? AND fork = '' ORDER BY through", project)
  )
  const projectDir = yield* Effect.acquireRelease(
    trying(() => mkdtempSync(join(tmpdir(), "pawl-verify-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const gitDir = join(projectDir, part)
  yield* Effect.promise(() =>
    create({ project, name: project, projectDir, canonDir: gitDir, gitDir, isFork: false }, "passing")
  )
  let damage: string | null = null
  for (const each of packs) {
    const bytes = yield* bytesOf(each, data)
    const isWhole = bytes !== null && (yield* sha256(bytes)) === each["digest"]
    const isTaken = isWhole
      ? yield* putPacks(gitDir, [{ pack: bytes, index: null }]).pipe(
          Effect.as(true),
          Effect.orElseSucceed(() => false)
        )
      : false
    if (!isTaken) damage ??= `a pack is damaged: ${String(each["digest"])}${bytes === null ? " is gone" : ""}`
  }
  const main = row["main"]
  if (typeof main === "string") yield* trying(() => writeFileSync(join(gitDir, "refs/heads/main"), `${main}\n`))
  return { folder: gitDir, damage }
})
