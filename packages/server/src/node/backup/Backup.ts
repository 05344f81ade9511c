/**
 * Makes a backup while servers are at work: the rows of one moment first, then the objects and repositories that they
 * name. Nothing of those goes meanwhile (`CopyHold`).
 */
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { copied, type CopiedCommits, type CopiedRepository } from "@pawl/adapters-local/repositories/RepositoryCopy"
import { type ObjectInfo, ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import { fromMillis } from "@pawl/core/primitives/Time"
import { wordsOf } from "@pawl/core/primitives/Words"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import * as CopyHold from "@pawl/core/work/CopyHold"
import { copiedTables, repositoryTables } from "@pawl/sql/copies/CopiedTables"
import { rowsOf, type Snapshot } from "@pawl/sql/copies/Snapshot"
import { ownShape } from "@pawl/sql/Shape"
import { Effect, Layer, Stream } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import * as Installations from "../installations/Installations.ts"
import * as Objects from "../Objects.ts"
import type { Options } from "../Options.ts"
import { version } from "../Version.ts"
import {
  formatName,
  formatVersion,
  type ListedObject,
  type ListedRepository,
  type Manifest,
  manifestDigestName,
  manifestName,
  objectName,
  sha256,
  unusable
} from "./BackupFormat.ts"
import { type BackupPlace, placeOf } from "./BackupPlace.ts"
import { keyNames } from "./KeyNames.ts"
import { lineFiles } from "./Lines.ts"
import * as NamedRepositories from "./NamedRepositories.ts"

/** What was made. */
export interface MadeBackup {
  readonly place: string
  readonly manifest: Manifest
  /** Of the manifest: who keeps it elsewhere knows that the backup is this one. */
  readonly digest: string
  readonly keys: ReadonlyArray<string>
}

/** What one backup writes into. */
interface Parts {
  readonly options: Options
  readonly place: BackupPlace
  readonly files: Map<string, string>
  /** Digests whose bytes are there. */
  readonly stored: Set<string>
}

const putBytes = ({ place, stored }: Parts, bytes: Uint8Array) =>
  Effect.suspend(() => {
    const digest = sha256(bytes)
    if (stored.has(digest)) return Effect.succeed(digest)
    stored.add(digest)
    return Effect.as(place.put(objectName(digest), bytes), digest)
  })

const copyRows = Effect.fnUntraced(function* ({ files, options, place }: Parts, snapshot: Snapshot) {
  const named = NamedRepositories.make()
  let rows = 0
  for (const table of copiedTables) {
    if (options.repositories === "folder" && repositoryTables.has(table.name)) continue
    const lines = lineFiles(place, `tables/${table.name}`, files)
    yield* Stream.runForEach(rowsOf(snapshot, table), (row) => {
      rows++
      named.see(table.name, row)
      return lines.add(row)
    })
    yield* lines.end
  }
  return { rows, named }
})

/** What nobody needs after a while is not copied. */
const passing = "tmp/"

const copyObjects = Effect.fnUntraced(function* (parts: Parts) {
  const objects = yield* ObjectStore
  const lines = lineFiles(parts.place, "lists/objects", parts.files)
  let [count, bytes] = [0, 0]
  const copy = ({ key }: ObjectInfo) =>
    objects.get(key).pipe(
      Effect.flatMap((body) => Effect.map(putBytes(parts, body), (digest) => ({ body, digest }))),
      Effect.map(({ body, digest }): ListedObject => ({ key, sha256: digest, sizeBytes: body.length })),
      // It was deleted between the list and this: no row of the moment names it.
      Effect.catchTag("ObjectMissing", () => Effect.succeed(null))
    )
  let after: string | undefined = undefined
  while (true) {
    const found: ReadonlyArray<ObjectInfo> = yield* objects.list("", after === undefined ? {} : { after })
    const kept = found.filter(({ key }) => !key.startsWith(passing))
    for (const each of yield* Effect.forEach(kept, copy, { concurrency: ServerLimits.backupObjectsAtOnce })) {
      if (each === null) continue
      yield* lines.add(each)
      count++
      bytes += each.sizeBytes
    }
    if (found.length < Limits.objectListLimit) break
    after = found.at(-1)?.key
  }
  yield* lines.end
  return { objects: count, objectBytes: bytes }
})

const copyRepositories = Effect.fnUntraced(function* (
  parts: Parts,
  repositories: ReadonlyArray<NamedRepositories.NamedRepository>
) {
  const root = join(parts.options.data, "repositories")
  const lines = lineFiles(parts.place, "lists/repositories", parts.files)
  const listed = ({ commits, objects, pack }: CopiedCommits) =>
    Effect.map(pack === null ? Effect.succeed(null) : putBytes(parts, pack), (digest) => ({
      commits,
      pack: digest,
      objects
    }))
  let count = 0
  let canonical: string | null = null
  for (const { fork, main, project } of repositories) {
    const ref: RepositoryRef = fork === null ? { project } : { project, fork }
    const found: CopiedRepository | null = yield* copied(root, ref, fork === null ? main : canonical)
    // Canonical stands before its forks.
    if (fork === null) canonical = found?.commits[0] ?? null
    if (found === null) continue
    const line: ListedRepository = {
      project,
      fork,
      ...(yield* listed(found)),
      statements: yield* listed(found.statements)
    }
    yield* lines.add(line)
    count++
  }
  yield* lines.end
  return count
})

const copyKeys = Effect.fnUntraced(function* ({ files, options, place }: Parts) {
  const names = keyNames.filter((name) => existsSync(join(options.data, name)))
  for (const name of names) {
    const bytes = new Uint8Array(readFileSync(join(options.data, name)))
    files.set(`keys/${name}`, sha256(bytes))
    yield* place.put(`keys/${name}`, bytes)
  }
  return names
})

const making = Effect.fnUntraced(function* (parts: Parts, withKeys: boolean) {
  const { files, options, place } = parts
  const snapshot = yield* Installations.of(options).snapshot
  const { named, rows } = yield* copyRows(parts, snapshot)
  const objects = yield* copyObjects(parts)
  const repositories = options.repositories === "folder" ? yield* copyRepositories(parts, named.all()) : named.packed()
  const keys = withKeys ? yield* copyKeys(parts) : []
  const manifest: Manifest = {
    format: formatName,
    formatVersion,
    pawl: version,
    shape: ownShape.expansions.length,
    at: fromMillis(snapshot.atMs),
    repositories: options.repositories,
    files: Object.fromEntries(files),
    counts: { rows, ...objects, repositories }
  }
  const text = new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`)
  const digest = sha256(text)
  yield* place.put(manifestName, text)
  return { place: place.text, manifest, digest, keys } satisfies MadeBackup
})

/** Who wants the keys in it, and does not get them, learns it when they are needed. */
const keysProblem = ({ data, signer }: Options): string | null => {
  const needed = signer._tag === "File" ? (["signing-key", "log-key"] as const) : (["log-key"] as const)
  const away = needed.filter((name) => !existsSync(join(data, name)))
  return away.length === 0
    ? null
    : `--with-keys: there is no ${away.join(" and no ")} in ${data}: name the data folder of a worker with --data, or leave it out and keep the keys elsewhere`
}

const isWithin = (folder: string, to: string): boolean =>
  !to.startsWith("s3:") && `${resolve(to)}/`.startsWith(`${resolve(folder)}/`)

/** Copies the installation of these options to a place that is empty. `withKeys`: its private keys, too. */
export const backUp = Effect.fnUntraced(
  function* (options: Options, to: string, withKeys: boolean) {
    if (isWithin(options.data, to))
      return yield* unusable(
        `${resolve(to)} is in the data folder, which is lost with it and swept by the server: name a place of its own`
      )
    const problem = withKeys ? keysProblem(options) : null
    if (problem !== null) return yield* unusable(problem)
    const place = yield* placeOf(to, options)
    if (!(yield* place.isEmpty))
      return yield* unusable(`${place.text} is not empty: a backup goes to a place of its own`)
    const parts: Parts = { options, place, files: new Map(), stored: new Set() }
    const services = Layer.merge(Installations.of(options).beside, Objects.layer(options, false))
    const made = yield* CopyHold.held(making(parts, withKeys)).pipe(Effect.provide(services))
    // Held to its end: only now is it one.
    yield* place.put(manifestDigestName, new TextEncoder().encode(`${made.digest}  ${manifestName}\n`))
    return made
  },
  Effect.scoped,
  Effect.mapError((error) => (error instanceof Error ? unusable(wordsOf(error)) : unusable(String(error))))
)
