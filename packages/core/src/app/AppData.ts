/** The data an app keeps: `env.DATA`. One store per channel of a Project (specification, "App data store"). */
import { Context, type Effect, Schema } from "effect"

/** The call goes over a bound of the store. Nothing was changed. The message is what the app sees. */
export class DataRefused extends Schema.TaggedError<DataRefused>()("DataRefused", {
  /** The name of the bound in `Limits`; `removed` for a store that is gone. */
  limit: Schema.String,
  message: Schema.String
}) {}

/** The store cannot be reached. Try again later. */
export class AppDataUnavailable extends Schema.TaggedError<AppDataUnavailable>()("AppDataUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The data of apps is away: ${this.reason}`
  }
}

/**
 * One store. With an `incarnation`, as an app has it, the store is that of the pointer row with this incarnation: once
 * the row or the app is removed, `put` and `remove` are refused, also by calls that were under way. So what is wiped stays
 * empty, and no late write of a removed app shows up in the app that is deployed after it.
 */
export interface DataStoreRef {
  readonly project: string
  readonly channel: string
  readonly incarnation?: number
}

/** A store that nothing was written to is empty. */
export class AppData extends Context.Service<
  AppData,
  {
    /** The value of a key; null when there is none. */
    readonly get: (store: DataStoreRef, key: string) => Effect.Effect<string | null, DataRefused | AppDataUnavailable>
    /**
     * Stores a value. Its size counts UTF-8 bytes, the length of its key characters; a new key counts to
     * `Limits.appDataKeys`.
     */
    readonly put: (
      store: DataStoreRef,
      key: string,
      value: string
    ) => Effect.Effect<void, DataRefused | AppDataUnavailable>
    /** Deletes a key. Deleting what is not there succeeds. */
    readonly remove: (store: DataStoreRef, key: string) => Effect.Effect<void, DataRefused | AppDataUnavailable>
    /** Keys by code point order. `complete` is false when more match than `limit` (default and most: 1,000). */
    readonly list: (
      store: DataStoreRef,
      options: { readonly prefix?: string; readonly limit?: number }
    ) => Effect.Effect<
      { readonly keys: ReadonlyArray<{ readonly name: string }>; readonly complete: boolean },
      DataRefused | AppDataUnavailable
    >
    /** Deletes every key of the store. */
    readonly wipe: (store: DataStoreRef) => Effect.Effect<void, AppDataUnavailable>
  }
>()("@pawl/core/app/AppData") {}
