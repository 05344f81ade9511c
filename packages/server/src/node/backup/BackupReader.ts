/** Reads a backup. All that it answers has the bytes that the backup was made of. */
import { Effect, Schema, Stream } from "effect"
import { short } from "@pawl/core/primitives/ShortText"
import { wordsOf } from "@pawl/core/primitives/Words"
import type { CopiedTable } from "@pawl/sql/copies/CopiedTables"
import type { Row } from "@pawl/sql/Database"
import { ownShape } from "@pawl/sql/Shape"
import {
  formatName,
  formatVersion,
  type BackupUnusable,
  damaged,
  isFileName,
  ListedObject,
  ListedRepository,
  Manifest,
  manifestDigestName,
  manifestName,
  objectName,
  sha256,
  unusable
} from "./BackupFormat.ts"
import type { BackupPlace } from "./BackupPlace.ts"
import { keyNames } from "./KeyNames.ts"
import { isOf } from "./Lines.ts"

/** A backup that is whole as far as its manifest tells. */
export interface OpenBackup {
  readonly place: BackupPlace
  readonly manifest: Manifest
  readonly digest: string
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The bytes of a file, which must have this digest. */
const proved = Effect.fnUntraced(function* (place: BackupPlace, name: string, digest: string) {
  const bytes = yield* place.get(name)
  if (bytes === null) return yield* damaged(`${place.text}: ${name} is missing`)
  if (sha256(bytes) !== digest) return yield* damaged(`${place.text}: ${name} has other bytes than were written`)
  return bytes
})

const Begins = Schema.Struct({ format: Schema.Literal(formatName), formatVersion: Schema.Int })
const beginningOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Begins))
const manifestOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Manifest))

/** Opens a backup. Refuses one that was cut off, has other bytes, or was made by a version that knows more. */
export const open = Effect.fnUntraced(function* (place: BackupPlace): Effect.fn.Return<OpenBackup, BackupUnusable> {
  const line = yield* place.get(manifestDigestName)
  if (line === null)
    return yield* unusable(`${place.text} is no backup, or one that was cut off: it has no ${manifestDigestName}`)
  const digest = /^([0-9a-f]{64}) {2}manifest\.json\n$/.exec(textOf(line))?.[1]
  if (digest === undefined) return yield* damaged(`${place.text}: ${manifestDigestName} is not as it was written`)
  const text = textOf(yield* proved(place, manifestName, digest))
  const notRead = (error: Error) => unusable(`${place.text}: ${manifestName}: ${wordsOf(error)}`)
  const begins = yield* Effect.mapError(beginningOf(text), notRead)
  if (begins.formatVersion > formatVersion)
    return yield* unusable(
      `${place.text}: its format ${begins.formatVersion} is newer than this version: restore it by a newer one`
    )
  const manifest = yield* Effect.mapError(manifestOf(text), notRead)
  if (manifest.shape > ownShape.expansions.length)
    return yield* unusable(
      `${place.text} was made by version ${manifest.pawl}, which is newer: restore it by that version`
    )
  const odd = Object.keys(manifest.files).find((name) => !isFileName(name))
  if (odd !== undefined)
    return yield* unusable(`${place.text}: ${manifestName} names a file that is none of a backup: ${short(odd)}`)
  return { place, manifest, digest }
})

const jsonOf = (place: BackupPlace, name: string, line: string) =>
  Effect.try({
    try: (): unknown => JSON.parse(line),
    catch: () => unusable(`${place.text}: ${name} is not lines of JSON`)
  })

/** The lines of all files of a name, in their order; each file is proved before its first line is answered. */
const linesOf = ({ manifest, place }: OpenBackup, name: string): Stream.Stream<unknown, BackupUnusable> => {
  const files = Object.entries(manifest.files)
    .filter(([file]) => isOf(name, file))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Stream.fromIterable(files).pipe(
    Stream.mapEffect(([file, digest]) =>
      Effect.flatMap(proved(place, file, digest), (bytes) =>
        Effect.forEach(textOf(bytes).split("\n").slice(0, -1), (line) => jsonOf(place, file, line))
      )
    ),
    Stream.flattenIterable
  )
}

const listed = <A>(backup: OpenBackup, name: string, schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return linesOf(backup, name).pipe(
    Stream.mapEffect((line) =>
      Effect.mapError(decode(line), (error) => unusable(`${backup.place.text}: ${name}: ${wordsOf(error)}`))
    )
  )
}

/** All objects, by their keys. */
export const objectsOf = (backup: OpenBackup): Stream.Stream<ListedObject, BackupUnusable> =>
  listed(backup, "lists/objects", ListedObject as Schema.Codec<ListedObject, unknown>)

/** All repositories that were folders. */
export const repositoriesOf = (backup: OpenBackup): Stream.Stream<ListedRepository, BackupUnusable> =>
  listed(backup, "lists/repositories", ListedRepository as Schema.Codec<ListedRepository, unknown>)

const isText = (value: unknown): boolean => value == null || typeof value === "string"
const isNumber = (value: unknown): boolean => value == null || Number.isSafeInteger(value)

const isRowOf = ({ numbers, texts }: CopiedTable, line: unknown): line is Row => {
  if (typeof line !== "object" || line === null) return false
  const values = new Map<string, unknown>(Object.entries(line))
  return texts.every((name) => isText(values.get(name))) && numbers.every((name) => isNumber(values.get(name)))
}

/** All rows of a table. */
export const rowsOf = (backup: OpenBackup, table: CopiedTable): Stream.Stream<Row, BackupUnusable> => {
  const name = `tables/${table.name}`
  return linesOf(backup, name).pipe(
    Stream.mapEffect((line) =>
      isRowOf(table, line)
        ? Effect.succeed(line)
        : Effect.fail(unusable(`${backup.place.text}: ${name} has a line that is no row of this table`))
    )
  )
}

/** How many rows it has of other tables than these. */
export const rowsElsewhere = (
  backup: OpenBackup,
  tables: ReadonlyArray<CopiedTable>
): Effect.Effect<number, BackupUnusable> => {
  const known = new Set(tables.map(({ name }) => `tables/${name}`))
  const named = Object.keys(backup.manifest.files).flatMap((file) => /^tables\/[^/]+/.exec(file) ?? [])
  const others = [...new Set(named)].filter((name) => !known.has(name))
  return Effect.map(
    Effect.forEach(others, (name) => Stream.runCount(linesOf(backup, name))),
    (counts) => counts.reduce((sum, count) => sum + count, 0)
  )
}

/** The bytes of a digest. */
export const bytesOf = ({ place }: OpenBackup, digest: string): Effect.Effect<Uint8Array, BackupUnusable> =>
  proved(place, objectName(digest), digest)

/** The private keys that it holds, by their names in the data folder. */
export const keysOf = ({
  manifest,
  place
}: OpenBackup): Effect.Effect<ReadonlyArray<readonly [name: string, bytes: Uint8Array]>, BackupUnusable> =>
  Effect.forEach(
    keyNames.flatMap((name) => {
      const digest = manifest.files[`keys/${name}`]
      return digest === undefined ? [] : [{ name, digest }]
    }),
    ({ digest, name }) => Effect.map(proved(place, `keys/${name}`, digest), (bytes) => [name, bytes] as const)
  )

/** Names each thing that is missing, or has other bytes than were written. */
export const problemsOf = (backup: OpenBackup): Effect.Effect<ReadonlyArray<string>, BackupUnusable> =>
  Effect.gen(function* () {
    const { manifest, place } = backup
    const problems: Array<string> = []
    const judge = (name: string, digest: string) =>
      Effect.map(Effect.result(proved(place, name, digest)), (found) => {
        if (found._tag === "Failure") problems.push(found.failure.reason)
      })
    for (const [name, digest] of Object.entries(manifest.files)) yield* judge(name, digest)
    // What the lists name can be told only where they are as they were written.
    if (problems.length > 0) return problems
    const digests = new Set<string>()
    yield* Stream.runForEach(objectsOf(backup), ({ sha256: digest }) => Effect.sync(() => void digests.add(digest)))
    yield* Stream.runForEach(repositoriesOf(backup), ({ pack, statements }) =>
      Effect.sync(() => {
        for (const digest of [pack, statements.pack]) if (digest !== null) digests.add(digest)
      })
    )
    for (const digest of digests) yield* judge(objectName(digest), digest)
    return problems
  })
