/** `AppData` in Durable Objects: one for each store, so that what an app writes holds nobody up but that store. */
import { type AppData, AppDataUnavailable, DataRefused, type DataStoreRef } from "@pawl/core/app/AppData"
import { checkKey, checkValue } from "@pawl/core/app/DataBounds"
import { Effect } from "effect"
import type { DataStoreCalls, Told, WriteCall } from "./DataStoreObject.ts"

/** Where the stores are, and who says who may write. */
export interface Options {
  /** The object of the store of this name; a stub. */
  readonly store: (name: string) => DataStoreCalls
  /** Whether the pointer row of a channel is still of this incarnation, and neither it nor the app is removed. */
  readonly mayWrite: (project: string, channel: string, incarnation: number) => Promise<boolean>
}

const away = (error: unknown) =>
  new AppDataUnavailable({ reason: error instanceof Error ? error.message : "the store does not answer" })

const reached = <A>(call: () => Promise<A>): Effect.Effect<A, AppDataUnavailable> =>
  Effect.tryPromise({ try: call, catch: away })

const asked = <A>(call: () => Promise<Told<unknown>>): Effect.Effect<A, DataRefused | AppDataUnavailable> =>
  Effect.flatMap(reached(call), (answer): Effect.Effect<A, DataRefused | AppDataUnavailable> => {
    if (answer._tag === "Done") return Effect.succeed(answer.value as A)
    if (answer._tag === "Away") return Effect.fail(new AppDataUnavailable({ reason: answer.reason }))
    return Effect.fail(new DataRefused({ limit: answer.limit, message: answer.message }))
  })

/** Over stubs. It holds nothing. */
export const make = ({ mayWrite, store }: Options): AppData["Service"] => {
  const storeOf = ({ channel, project }: DataStoreRef) => store(`${project}/${channel}`)
  const write = (ref: DataStoreRef, call: WriteCall) =>
    asked<void>(() => {
      const { channel, incarnation, project } = ref
      if (incarnation === undefined) return storeOf(ref).write(call, null, null)
      return storeOf(ref).write(call, incarnation, () => mayWrite(project, channel, incarnation))
    })
  return {
    get: (ref, key) =>
      Effect.andThen(
        checkKey(key),
        asked<string | null>(() => storeOf(ref).read({ op: "get", key }))
      ),
    put: (ref, key, value) =>
      Effect.andThen(Effect.andThen(checkKey(key), checkValue(value)), write(ref, { op: "put", key, value })),
    remove: (ref, key) => Effect.andThen(checkKey(key), write(ref, { op: "remove", key })),
    list: (ref, { limit, prefix = "" }) =>
      Effect.andThen(
        checkKey(prefix),
        asked<{ readonly keys: ReadonlyArray<{ readonly name: string }>; readonly complete: boolean }>(() =>
          storeOf(ref).read({ op: "list", prefix, limit })
        )
      ),
    // In two steps, so that a wipe that comes late, from an object that is gone, deletes nothing of the app after it.
    wipe: (ref) =>
      Effect.flatMap(
        reached(() => storeOf(ref).fence()),
        (life) => (life === null ? Effect.void : reached(() => storeOf(ref).erase(life)))
      )
  }
}
