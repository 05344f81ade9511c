/** What the work of a run came to beside its turns, kept so that a talk can be built again as it was. */
import { Effect, Schema } from "effect"
import { ObjectStore } from "../objects/ObjectStore.ts"
import { utf8 } from "../primitives/Digest.ts"
import { type Asker, contextPrefix } from "./Asker.ts"
import { TurnFailed } from "./TurnFailures.ts"
import { textOf } from "../primitives/Utf8.ts"

const keyOf = ({ change }: Asker, subject: string, name: string): string =>
  `${contextPrefix(change.projectId, subject)}kept-${name}.json`

const decoded = <A, I>(schema: Schema.Codec<A, I>, bytes: Uint8Array) =>
  Schema.decodeEffect(Schema.fromJsonString(schema))(textOf(bytes)).pipe(
    Effect.map((value) => ({ value })),
    Effect.mapError(() => new TurnFailed({ reason: "another version kept what was found", diverged: true }))
  )

const readOne = <A, I>(key: string, schema: Schema.Codec<A, I>) =>
  Effect.flatMap(ObjectStore, (objects) => objects.get(key)).pipe(
    Effect.flatMap((bytes) => decoded(schema, bytes)),
    Effect.catchTags({ InvalidKey: Effect.die, ObjectMissing: () => Effect.succeed(null) })
  )

/** What was kept under a name, in this run or in one that it goes on from; null when nothing was. */
export const find = Effect.fnUntraced(function* <A, I>(asker: Asker, name: string, schema: Schema.Codec<A, I>) {
  for (const subject of [asker.subject, ...asker.earlier]) {
    const kept = yield* readOne(keyOf(asker, subject, name), schema)
    if (kept !== null) return kept
  }
  return null
})

/** Keeps what some work came to, and answers what is kept: what another process was faster with. */
export const keep = Effect.fnUntraced(function* <A, I>(
  asker: Asker,
  name: string,
  schema: Schema.Codec<A, I>,
  made: A
) {
  const key = keyOf(asker, asker.subject, name)
  const text = yield* Effect.orDie(Schema.encodeEffect(Schema.fromJsonString(schema))(made))
  const isFirst = yield* (yield* ObjectStore).create(key, utf8(text)).pipe(Effect.catchTag("InvalidKey", Effect.die))
  if (isFirst) return made
  const kept = yield* readOne(key, schema)
  return kept === null ? made : kept.value
})
