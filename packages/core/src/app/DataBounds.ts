/** The bounds of an app's data, checked alike by every store. The messages are what the app sees. */
import { Effect } from "effect"
import type { Pointer } from "../model/Pointer.ts"
import { isWellFormed } from "../primitives/CodePoints.ts"
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { DataRefused } from "./AppData.ts"

const refuse = (limit: string, message: string) => Effect.fail(new DataRefused({ limit, message }))

const isLongerThan = (text: string, characters: number): boolean =>
  text.length > characters && Array.from(text).length > characters

/** A key, or the prefix of one: at most `Limits.appDataKeyLength` characters (code points). */
export const checkKey = (key: string): Effect.Effect<void, DataRefused> => {
  if (isLongerThan(key, Limits.appDataKeyLength))
    return refuse(
      "appDataKeyLength",
      `A key of env.DATA has at most ${Limits.appDataKeyLength} characters (limit appDataKeyLength).`
    )
  if (!isWellFormed(key)) return refuse("appDataKeyLength", "A key of env.DATA must be well-formed Unicode text.")
  return Effect.void
}

/** A value: at most `Limits.appDataValueBytes` bytes of UTF-8. */
export const checkValue = (value: string): Effect.Effect<void, DataRefused> => {
  if (
    value.length > Limits.appDataValueBytes ||
    (value.length * 3 > Limits.appDataValueBytes && utf8(value).length > Limits.appDataValueBytes)
  )
    return refuse(
      "appDataValueBytes",
      `A value of env.DATA has at most ${Limits.appDataValueBytes} bytes of UTF-8 (limit appDataValueBytes).`
    )
  if (!isWellFormed(value)) return refuse("appDataValueBytes", "A value of env.DATA must be well-formed Unicode text.")
  return Effect.void
}

/** How many keys to list: a whole number from 1 to `Limits.appDataListLimit`, which is also the default. */
export const checkListLimit = (limit: number | undefined): Effect.Effect<number, DataRefused> => {
  if (limit === undefined) return Effect.succeed(Limits.appDataListLimit)
  if (Number.isInteger(limit) && limit >= 1 && limit <= Limits.appDataListLimit) return Effect.succeed(limit)
  return refuse(
    "appDataListLimit",
    `A list of env.DATA takes a limit from 1 to ${Limits.appDataListLimit} (limit appDataListLimit).`
  )
}

/** What a new key in a full store is refused with. */
export const tooManyKeys = new DataRefused({
  limit: "appDataKeys",
  message: `A store of env.DATA has at most ${Limits.appDataKeys} keys (limit appDataKeys).`
})

/**
 * Whether a writer of this incarnation may write: the pointer row that it was started for is there, and neither it nor the
 * app, whose row is that of production, is removed.
 */
export const isOpenTo = (incarnation: number, own: Pointer | undefined, production: Pointer | undefined): boolean =>
  own?.incarnation === incarnation &&
  own.status !== "removed" &&
  production !== undefined &&
  production.status !== "removed" &&
  production.leftovers !== true

/** The app or preview was removed while it still ran. */
export const storeGone = new DataRefused({
  limit: "removed",
  message: "This env.DATA is gone: the app or preview that it belonged to was removed."
})
