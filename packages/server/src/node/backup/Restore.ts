/**
 * Puts a backup into an empty installation: objects and repositories first, then all rows in one transaction. Until that is
 * there nothing was restored, and the same backup may be restored again.
 */
import { randomUUID } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { writeSynced } from "@pawl/adapters-local/objects/DurableFile"
import { restored as restoredFolder } from "@pawl/adapters-local/repositories/RepositoryCopy"
import * as GitRepositories from "@pawl/adapters-local/repositories/GitRepositories"
import * as PackRepositories from "@pawl/adapters-local/repositories/packs/PackRepositories"
import { Records } from "@pawl/core/ledger/Records"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { ensureSynced } from "@pawl/core/project/SourceSync"
import { Limits } from "@pawl/core/primitives/Limits"
import { wordsOf } from "@pawl/core/primitives/Words"
import { Commands } from "@pawl/core/work/Commands"
import { type Begun, beginEpochsOfCopy } from "@pawl/core/provenance/Epochs"
import { reasonOf, type Row } from "@pawl/sql/Database"
import { type CopiedTable, copiedTables } from "@pawl/sql/copies/CopiedTables"
import { begunCopy, demandNoRows, finish, inOneGo, load, rowsAtOnce } from "@pawl/sql/copies/LoadedRows"
import { Effect, Layer, Stream } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import * as Installations from "../installations/Installations.ts"
import * as Objects from "../Objects.ts"
import type { Options } from "../Options.ts"
import * as PrivateFolder from "../PrivateFolder.ts"
import * as Signers from "../Signers.ts"
import { type ListedObject, type ListedRepository, type Manifest, unusable } from "./BackupFormat.ts"
import { placeOf } from "./BackupPlace.ts"
import {
  bytesOf,
  keysOf,
  objectsOf,
  type OpenBackup,
  open,
  repositoriesOf,
  rowsElsewhere,
  rowsOf
} from "./BackupReader.ts"
import { fileWords } from "./FileWords.ts"

/** What was restored. */
export interface RestoredBackup {
  readonly manifest: Manifest
  readonly digest: string
  /** Private keys that came along. */
  readonly keys: ReadonlyArray<string>
  /** Chains of statements that go on in a new epoch. */
  readonly begun: ReadonlyArray<Begun>
}

/** A repository that was a folder, as rows: its pack lies among the objects. */
const packRows = ({ commits, fork, objects, pack, project }: ListedRepository, object: string, bytes: number) => {
  const key = { project_id: project, fork: fork ?? "" }
  const many = pack === null ? 0 : 1
  const main = fork === null ? (commits[0] ?? null) : null
  return {
    pawl_repo: [{ ...key, born: randomUUID(), main, through: many, hot_packs: many, hot_bytes: bytes }],
    pawl_pack: pack === null ? [] : [{ ...key, digest: pack, object, body: null, through: 1, base: 0, bytes, objects }]
  } satisfies Readonly<Record<string, ReadonlyArray<Row>>>
}

/** Rows by their tables. */
type Rows = ReadonlyMap<string, ReadonlyArray<Row>>

const toPacks = Effect.fnUntraced(function* (backup: OpenBackup) {
  const objects = yield* ObjectStore
  const rows = new Map<string, Array<Row>>([
    ["pawl_repo", []],
    ["pawl_pack", []]
  ])
  yield* Stream.runForEach(repositoriesOf(backup), (repository) =>
    Effect.gen(function* () {
      const { fork, pack, project } = repository
      const bytes = pack === null ? null : yield* bytesOf(backup, pack)
      // Named by its repository: what one deletes is no other's.
      const object = `git/${project}/${pack}-${fork ?? "canonical"}`
      if (bytes !== null) yield* objects.put(`${object}.pack`, bytes)
      for (const [table, more] of Object.entries(packRows(repository, object, bytes?.length ?? 0)))
        rows.get(table)?.push(...more)
    })
  )
  return rows as Rows
})

const toFolders = (backup: OpenBackup, root: string) =>
  Stream.runForEach(repositoriesOf(backup), ({ fork, project, statements, ...own }) =>
    Effect.gen(function* () {
      const packOf = (digest: string | null) => (digest === null ? Effect.succeed(null) : bytesOf(backup, digest))
      yield* restoredFolder(root, fork === null ? { project } : { project, fork }, {
        ...own,
        pack: yield* packOf(own.pack),
        statements: { ...statements, pack: yield* packOf(statements.pack) }
      })
    })
  )

const noRows: Rows = new Map()

/** Makes repositories, and answers the rows that some of them are. */
const putRepositories = (backup: OpenBackup, { data, repositories }: Options) =>
  repositories === "packs" ? toPacks(backup) : Effect.as(toFolders(backup, join(data, "repositories")), noRows)

const putObjects = Effect.fnUntraced(function* (backup: OpenBackup) {
  const objects = yield* ObjectStore
  const put = ({ key, sha256: digest }: ListedObject) =>
    Effect.flatMap(bytesOf(backup, digest), (bytes) => objects.put(key, bytes))
  yield* objectsOf(backup).pipe(
    Stream.mapEffect(put, { concurrency: ServerLimits.backupObjectsAtOnce, unordered: true }),
    Stream.runDrain
  )
})

/** Puts rows there, or says of which table none can be put. */
const loaded = (backup: OpenBackup, table: CopiedTable, rows: ReadonlyArray<Row>) =>
  Effect.mapError(load(table, rows), (error) =>
    unusable(
      `${backup.place.text}: the rows of tables/${table.name} cannot be put into the database: ${error._tag === "SqlError" ? reasonOf(error) : error.reason}`
    )
  )

const loadAll = Effect.fnUntraced(function* (backup: OpenBackup, more: Rows) {
  let count = 0
  for (const table of copiedTables) {
    yield* rowsOf(backup, table).pipe(
      Stream.grouped(rowsAtOnce),
      Stream.runForEach((rows) => {
        count += rows.length
        return loaded(backup, table, rows)
      })
    )
    const made = more.get(table.name) ?? []
    for (let at = 0; at < made.length; at += rowsAtOnce) yield* loaded(backup, table, made.slice(at, at + rowsAtOnce))
  }
  return count
})

/** The same of all of a backup, which must be as many as it says; what this version has no table for any more is left out. */
const allLoaded = Effect.fnUntraced(function* (backup: OpenBackup, more: Rows) {
  const count = (yield* loadAll(backup, more)) + (yield* rowsElsewhere(backup, copiedTables))
  const { rows } = backup.manifest.counts
  if (count !== rows)
    return yield* unusable(`${backup.place.text}: it has ${count} rows, and its manifest says ${rows}`)
})

/** The projects whose repositories are folders in the backup. */
const projectsOf = Effect.fnUntraced(function* (backup: OpenBackup) {
  const projects = new Set<string>()
  yield* Stream.runForEach(repositoriesOf(backup), ({ project }) => Effect.sync(() => void projects.add(project)))
  return projects
})

/** Refuses what is in use. Objects of this very backup may be there: it was cut off. */
const demandEmpty = Effect.fnUntraced(function* (backup: OpenBackup, { data, repositories }: Options) {
  yield* demandNoRows
  const projects = yield* projectsOf(backup)
  const isMade = (key: string) => repositories === "packs" && projects.has(/^git\/([^/]+)\//.exec(key)?.[1] ?? "")
  const objects = yield* ObjectStore
  if ((yield* objects.list("", { limit: 1 })).length > 0) {
    const own = new Set<string>()
    yield* Stream.runForEach(objectsOf(backup), ({ key }) => Effect.sync(() => void own.add(key)))
    let after: string | undefined = undefined
    while (true) {
      const found: ReadonlyArray<{ readonly key: string }> = yield* objects.list(
        "",
        after === undefined ? {} : { after }
      )
      const other = found.find(({ key }) => !own.has(key) && !isMade(key))
      if (other !== undefined)
        return yield* unusable(`the object store is in use: it has ${other.key}. Restore into an empty one`)
      if (found.length < Limits.objectListLimit) break
      after = found.at(-1)?.key
    }
  }
  const root = join(data, "repositories")
  if (repositories === "folder" && existsSync(root)) {
    const other = readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((path) => /^[0-9a-f]{2}\/(proj_[^/]+)$/.exec(path)?.[1])
      .find((project) => project !== undefined && !projects.has(project))
    if (other !== undefined) return yield* unusable(`${root} is in use: it has ${other}. Restore into an empty folder`)
  }
})

/** Keys that sign are of one installation: with those of another one nothing that was restored could go on. */
const demandOwnKeys = Effect.fnUntraced(function* (backup: OpenBackup, data: string) {
  for (const [name, bytes] of yield* keysOf(backup)) {
    const path = join(data, name)
    if (name !== "owner-token" && existsSync(path) && !readFileSync(path).equals(bytes))
      return yield* unusable(
        `${path} is there already, and another one than the backup's. Restore into a data folder of its own`
      )
  }
})

const putKeys = Effect.fnUntraced(function* (backup: OpenBackup, data: string) {
  const keys = yield* keysOf(backup)
  for (const [name, bytes] of keys)
    if (!existsSync(join(data, name)))
      yield* Effect.tryPromise({
        try: () => writeSynced(join(data, name), bytes),
        catch: (error) => unusable(`${join(data, name)}: ${fileWords(error)}`)
      })
  return keys.map(([name]) => name)
})

const gitPorts = ({ cache, cacheBytes, data, repositories }: Options) =>
  repositories === "packs"
    ? PackRepositories.layer({ directory: cache, cacheBytes })
    : GitRepositories.layer({ directory: join(data, "repositories"), shared: false })

const syncSources = Effect.gen(function* () {
  const { items } = yield* (yield* Records).list("head", { limit: "all" })
  yield* Effect.forEach(items, ({ record }) => ensureSynced(record.projectId), { discard: true })
})

/** Puts an opened backup into the installation of these options, which is empty. */
export const restoring = Effect.fnUntraced(function* (
  options: Options,
  backup: OpenBackup,
  epochs: "begin" | "as it is" = "begin"
) {
  const { digest, manifest } = backup
  if (manifest.repositories === "packs" && options.repositories === "folder")
    return yield* unusable("its repositories are packs, and are not put into folders: set PAWL_REPOSITORIES=packs")
  yield* PrivateFolder.prepare(options.data)
  const installation = Installations.of(options)
  const { alone } = yield* installation.enter
  const services = Layer.mergeAll(installation.restorable, Objects.layer(options, alone), Signers.layer(options))
  return yield* Effect.gen(function* () {
    // One that was cut off at its very end: what follows the rows is done now.
    const begun = yield* begunCopy
    if (begun !== null && begun !== digest)
      return yield* unusable(
        `the restore of another backup was cut off here: restore that one again (the sha256 of its manifest is ${begun}), or begin with nothing`
      )
    yield* demandOwnKeys(backup, options.data)
    if (begun === null) {
      yield* demandEmpty(backup, options)
      yield* putObjects(backup)
      const rows = yield* putRepositories(backup, options)
      yield* inOneGo(digest, allLoaded(backup, rows))
    }
    const keys = yield* putKeys(backup, options.data)
    // What was promoted in the moment before stands in no `main` yet.
    yield* Effect.provide(syncSources, gitPorts(options))
    // Whoever held a command held it there.
    yield* (yield* Commands).releaseAll
    const epochsBegun = epochs === "begin" ? yield* beginEpochsOfCopy : []
    yield* finish(digest)
    return { manifest, digest, keys, begun: epochsBegun } satisfies RestoredBackup
  }).pipe(Effect.provide(services))
}, Effect.scoped)

/** The same of the backup in a place. */
export const restore = Effect.fnUntraced(
  function* (options: Options, from: string) {
    return yield* restoring(options, yield* open(yield* placeOf(from, options)))
  },
  Effect.scoped,
  Effect.mapError((error) => unusable(wordsOf(error)))
)
