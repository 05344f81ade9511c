/**
 * The object of one store of app data: all that one channel of a Project keeps, and nothing else. What it is asked is
 * answered from its own SQLite; whether a writer may still write is the Project's to say, and is asked for each write.
 */
import { DurableObject } from "cloudflare:workers"
import type { DurableObjectState } from "@cloudflare/workers-types"
import type { AppData, AppDataUnavailable, DataRefused, DataStoreRef } from "@pawl/core/app/AppData"
import { checkKey, storeGone } from "@pawl/core/app/DataBounds"
import { make } from "@pawl/sql/SqlAppData"
import { Effect } from "effect"
import * as DurableObjectDatabase from "../sqlite/DurableObjectDatabase.ts"
import type { ObjectStorage } from "../sqlite/ObjectStorage.ts"
import { SharedQuestion } from "./SharedQuestion.ts"

/** What reads. */
export type ReadCall =
  | { readonly op: "get"; readonly key: string }
  | { readonly op: "list"; readonly prefix: string; readonly limit: number | undefined }

/** What writes. */
export type WriteCall =
  | { readonly op: "put"; readonly key: string; readonly value: string }
  | { readonly op: "remove"; readonly key: string }

/** An answer over RPC, on which errors lose their fields. */
export type Told<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Refused"; readonly limit: string; readonly message: string }
  | { readonly _tag: "Away"; readonly reason: string }

/** What may be asked of the object of a store. */
export interface DataStoreCalls {
  readonly read: (call: ReadCall) => Promise<Told<unknown>>
  /**
   * Writes, where `mayWrite` says that the pointer row of this incarnation may still be written. It is called back after the
   * write came, and again when the store was fenced meanwhile. Null: whoever writes needs no row.
   */
  readonly write: (
    call: WriteCall,
    incarnation: number | null,
    mayWrite: (() => Promise<boolean>) | null
  ) => Promise<Told<unknown>>
  /**
   * From now on no answer counts that `mayWrite` gave before. Answers which life the store is in, null when it holds nothing:
   * a store that was wiped and written again is in another life.
   */
  readonly fence: () => Promise<string | null>
  /** Deletes all that the store holds, if it still is in this life. One that comes late, or again, deletes nothing new. */
  readonly erase: (life: string) => Promise<void>
}

/** Rows need not name the store: there is no other here. */
const own: DataStoreRef = { project: "", channel: "" }

/** Those of `SqlAppData`, with the life of the store. They are there from the first write to the wipe. */
const tables: ReadonlyArray<string> = [
  "CREATE TABLE pawl_app_store (project_id TEXT NOT NULL, channel TEXT NOT NULL, keys INTEGER NOT NULL, PRIMARY KEY (project_id, channel))",
  `CREATE TABLE pawl_app_data (project_id TEXT NOT NULL, channel TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (project_id, channel, key)) WITHOUT ROWID`,
  "CREATE TABLE pawl_app_life (life TEXT NOT NULL)"
]

const lifeOf = ({ sql }: ObjectStorage): string | null => {
  if (sql.exec("SELECT name FROM sqlite_master WHERE name = 'pawl_app_life'").toArray().length === 0) return null
  return String(sql.exec("SELECT life FROM pawl_app_life").toArray()[0]?.["life"])
}

/** Nothing here waits, so nothing comes between a decision and its write. */
const told = <A>(effect: Effect.Effect<A, DataRefused | AppDataUnavailable>): Told<A> =>
  Effect.runSync(
    effect.pipe(
      Effect.map((value): Told<A> => ({ _tag: "Done", value })),
      Effect.catchTag("DataRefused", ({ limit, message }) =>
        Effect.succeed<Told<A>>({ _tag: "Refused", limit, message })
      ),
      Effect.catchTag("AppDataUnavailable", ({ reason }) => Effect.succeed<Told<A>>({ _tag: "Away", reason }))
    )
  )

/** A script names its own class below this one. */
export class DataStoreObject extends DurableObject implements DataStoreCalls {
  private readonly storage: ObjectStorage
  private readonly data: AppData["Service"]
  private readonly questions = new Map<number, SharedQuestion<boolean>>()
  private life: string | null
  /** How often the store was fenced. A write that is under way goes with the object, so no row has to remember it. */
  private fences = 0

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env)
    this.storage = ctx.storage
    const database = DurableObjectDatabase.make(this.storage)
    this.life = lifeOf(this.storage)
    this.data = make({
      ...database,
      query: (query) => Effect.suspend(() => (this.life === null ? Effect.succeed([]) : database.query(query))),
      batch: (statements) =>
        Effect.suspend(() => {
          this.begin()
          return database.batch(statements)
        })
    })
  }

  /** Makes the tables with the first write: who only reads leaves nothing behind. */
  private begin(): void {
    if (this.life !== null) return
    const life = crypto.randomUUID()
    this.storage.transactionSync(() => {
      for (const each of tables) this.storage.sql.exec(each)
      this.storage.sql.exec("INSERT INTO pawl_app_life (life) VALUES (?)", life)
    })
    this.life = life
  }

  private mayWrite(incarnation: number, ask: () => Promise<boolean>): Promise<boolean> {
    const question = this.questions.get(incarnation) ?? new SharedQuestion<boolean>()
    this.questions.set(incarnation, question)
    return question.ask(ask)
  }

  private perform(call: WriteCall): Told<unknown> {
    if (call.op === "put") return told(this.data.put(own, call.key, call.value))
    // What holds nothing has nothing to remove.
    return told(this.life === null ? checkKey(call.key) : this.data.remove(own, call.key))
  }

  read(call: ReadCall): Promise<Told<unknown>> {
    if (call.op === "get") return Promise.resolve(told(this.data.get(own, call.key)))
    const { limit, prefix } = call
    return Promise.resolve(told(this.data.list(own, limit === undefined ? { prefix } : { prefix, limit })))
  }

  async write(
    call: WriteCall,
    incarnation: number | null,
    mayWrite: (() => Promise<boolean>) | null
  ): Promise<Told<unknown>> {
    if (incarnation === null || mayWrite === null) return this.perform(call)
    for (;;) {
      const { fences } = this
      if (!(await this.mayWrite(incarnation, mayWrite)))
        return { _tag: "Refused", limit: storeGone.limit, message: storeGone.message }
      // What was said before a wipe may have been said before the removal: then it is asked anew.
      if (fences === this.fences) return this.perform(call)
    }
  }

  fence(): Promise<string | null> {
    this.fences++
    return Promise.resolve(this.life)
  }

  erase(life: string): Promise<void> {
    return this.ctx.blockConcurrencyWhile(async () => {
      if (this.life !== life) return
      await this.ctx.storage.deleteAll()
      this.life = null
    })
  }
}
