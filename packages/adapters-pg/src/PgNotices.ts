/**
 * `Notices` by LISTEN and NOTIFY, on a connection of its own, which is made anew when it breaks. A notice is sent beside
 * the transactions, not in them: a transaction that notifies takes a lock that all such share.
 */
import { randomBytes } from "node:crypto"
import * as NoticePost from "@pawl/core/ledger/NoticePost"
import { Notices } from "@pawl/core/ledger/Notices"
import { Effect, type Scope } from "effect"
import Pg from "pg"
import { PgLimits } from "./PgLimits.ts"
import { type Options, settings } from "./PgPool.ts"
import { defaultSchema } from "./SchemaName.ts"

class Line {
  readonly post = NoticePost.make({
    sender: randomBytes(6).toString("hex"),
    topicsKept: PgLimits.noticeTopicsKept,
    topicsAtOnce: PgLimits.noticeTopicsAtOnce
  })
  readonly #options: Options
  readonly #channel: string
  #client: Pg.Client | null = null
  #ended = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    this.#channel = `pawl_${options.schema ?? defaultSchema}`
  }

  get isThere(): boolean {
    return this.#client !== null
  }

  async connect(): Promise<void> {
    const client = new Pg.Client(this.#settings())
    let lost = false
    const lose = () => {
      if (lost) return
      lost = true
      clearInterval(heartbeat)
      if (this.#client === client) this.#client = null
      void client.end().catch(() => undefined)
      this.post.miss()
      if (!this.#ended) this.#timer = setTimeout(() => void this.connect(), PgLimits.noticeRetryMs)
    }
    const heartbeat = setInterval(() => void client.query("SELECT 1").catch(lose), PgLimits.noticeHeartbeatMs)
    client.on("error", lose)
    client.on("end", lose)
    client.on("notification", ({ channel, payload }) => {
      if (channel === this.#channel && payload !== undefined) this.post.hear(payload)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${Pg.escapeIdentifier(this.#channel)}`)
      if (this.#ended) return lose()
      this.#client = client
      this.post.miss()
      void this.#flush()
    } catch {
      lose()
    }
  }

  publish(topic: string): void {
    this.post.publish(topic)
    // Later, so that what is published in the same moment goes out together.
    setImmediate(() => void this.#flush())
  }

  async end(): Promise<void> {
    this.#ended = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => undefined)
  }

  #settings(): Pg.ClientConfig {
    return { ...settings(this.#options), query_timeout: PgLimits.noticeHeartbeatMs }
  }

  #flush(): Promise<void> {
    return this.post.flush(() => {
      const client = this.#client
      if (client === null) return null
      return async (message) => void (await client.query("SELECT pg_notify($1, $2)", [this.#channel, message]))
    })
  }
}

/**
 * Listens until the scope ends. A connection that breaks or cannot be made is tried again, and listeners are told what
 * they may have missed.
 */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Notices["Service"], never, Scope.Scope> {
  const line = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = new Line(options)
      await made.connect()
      return made
    }),
    (made) => Effect.promise(() => made.end())
  )
  return Notices.of({
    publish: (topic) => line.publish(topic),
    subscribe: line.post.subscribe,
    away: Effect.sync(() => (line.isThere ? null : "the connection to Postgres that listens is broken"))
  })
})
