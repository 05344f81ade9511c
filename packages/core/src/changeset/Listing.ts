/**
 * What a ChangeSet lists: its files and intents. Its record holds them up to `Limits.changeSetListBytes`; of a longer
 * one it holds the beginning, and the whole lies in the object store by its digest.
 */
import { Effect, Schema } from "effect"
import { ObjectMissing, ObjectStore } from "../objects/ObjectStore.ts"
import { utf8Length } from "../primitives/CodePoints.ts"
import { canonicalJson, sha256, utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { ChangeSet, FileChange, Intent } from "../model/ChangeSet.ts"
import { textOf } from "../primitives/Utf8.ts"

/** The parts of a ChangeSet that may be long. */
export const Listing = Schema.Struct({
  files: ChangeSet.fields.files,
  intents: ChangeSet.fields.intents,
  cut: ChangeSet.fields.cut
})
export interface Listing extends Schema.Schema.Type<typeof Listing> {}

/** The stored object. What was written is an intent too, and follows from the files. */
const Whole = Schema.fromJsonString(Schema.Struct({ files: Schema.Array(FileChange), declared: Schema.Array(Intent) }))

/** Where the whole list of a ChangeSet lies, by its SHA-256. All of a Project's are deleted when it is cleaned away. */
export const listKey = (projectId: string, digest: string): string => `changesets/${projectId}/${digest}.json`

/** What was written is an intent, whether or not it was declared. */
const intentsOf = (files: ReadonlyArray<FileChange>, declared: ReadonlyArray<Intent>): ReadonlyArray<Intent> => {
  const written = new Set(
    declared.filter((each) => each.kind === "path" && each.mode === "write").map((each) => each.value)
  )
  return [
    ...declared,
    ...files
      .filter((file) => !written.has(file.path))
      .map((file) => ({ kind: "path" as const, value: file.path, mode: "write" as const }))
  ]
}

/** As many entries, from the first on, as the record of a ChangeSet may hold. */
const beginning = <A>(entries: ReadonlyArray<A>): ReadonlyArray<A> => {
  let bytes = 0
  const end = entries.findIndex((entry) => {
    bytes += utf8Length(JSON.stringify(entry)) + 1
    return bytes > Limits.changeSetListBytes
  })
  return end < 0 ? entries : entries.slice(0, end)
}

/** Lists what a ChangeSet changed and declared; what is too long for its record is stored. A repeat stores the same. */
export const listingOf = Effect.fnUntraced(function* (
  projectId: string,
  files: ReadonlyArray<FileChange>,
  declared: ReadonlyArray<Intent>
) {
  const intents = intentsOf(files, declared)
  const kept = { files: beginning(files), intents: beginning(intents) }
  if (kept.files.length === files.length && kept.intents.length === intents.length) return kept satisfies Listing
  const body = utf8(canonicalJson({ files, declared }))
  const digest = yield* sha256(body)
  const objects = yield* ObjectStore
  yield* objects.put(listKey(projectId, digest), body).pipe(Effect.catchTag("InvalidKey", Effect.die))
  return { ...kept, cut: { filesTotal: files.length, intentsTotal: intents.length, digest } } satisfies Listing
})

/** Of a ChangeSet that changes more than can be compared. Its files can be read one by one, at its base and its tree. */
export const unlisted: Listing = {
  files: [],
  intents: [],
  cut: { filesTotal: null, intentsTotal: null, digest: null }
}

/**
 * The ChangeSet with its whole list, and no `cut`. One that was never listed is answered as it is. Fails with
 * `ObjectMissing` when the list is not there any more (its Project was cleaned away), or is not the one that was stored.
 */
export const wholeChangeSet = Effect.fnUntraced(
  function* (changeSet: ChangeSet) {
    const { cut, ...rest } = changeSet
    if (cut === undefined || cut.digest === null) return changeSet
    const key = listKey(changeSet.projectId, cut.digest)
    const body = yield* Effect.flatMap(ObjectStore, (objects) => objects.get(key))
    if ((yield* sha256(body)) !== cut.digest) {
      yield* Effect.logWarning("the list of a ChangeSet is damaged", key)
      return yield* new ObjectMissing({ key })
    }
    const { declared, files } = yield* Schema.decodeEffect(Whole)(textOf(body))
    return { ...rest, files, intents: intentsOf(files, declared) } satisfies ChangeSet
  },
  Effect.catchTags({ InvalidKey: Effect.die, SchemaError: Effect.die })
)
