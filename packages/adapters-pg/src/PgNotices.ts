/**
 * `Notices` by LISTEN and NOTIFY, on a connection of its own, which is made anew when it breaks. A notice is sent beside
 * the transactions, not in them: a transaction that notifies takes a lock that all such share.
 */
import { randomBytes } from "node:crypto"
import { Effect, type Scope } from "effect"
import Pg from "pg"
import type { Listener, Notices } from "./Notices.ts"
import { PgLimits } from "./PgLimits.ts"
import { type Options, settings } from "./PgPool.ts"
import { defaultSchema } from "./SchemaName.ts"

class Post {
  readonly listeners = new Set<Listener>()
  readonly #options: Options
  readonly #channel: string
  /** Who says it, so that this process does not hear itself. */
  readonly #sender = randomBytes(6).toString("hex")
  readonly #waiting = new Set<string>()
  #client: Pg.Client | null = null
  #sending = false
  #ended = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    this.#channel = `pawl_${options.schema ?? defaultSchema}`
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
      this.#miss()
      if (!this.#ended) this.#timer = setTimeout(() => void this.connect(), PgLimits.noticeRetryMs)
    }
    const heartbeat = setInterval(() => void client.query("SELECT 1").catch(lose), PgLimits.noticeHeartbeatMs)
    client.on("error", lose)
    client.on("end", lose)
    client.on("notification", ({ channel, payload }) => {
      if (channel === this.#channel && payload !== undefined) this.#hear(payload)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${Pg.escapeIdentifier(this.#channel)}`)
      if (this.#ended) return lose()
      this.#client = client
      this.#miss()
      void this.#flush()
    } catch {
      lose()
    }
  }

  publish(topic: string): void {
    if (this.#waiting.size < PgLimits.noticeTopicsKept) this.#waiting.add(topic)
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

  #miss(): void {
    for (const { missed } of this.listeners) missed()
  }

  #hear(payload: string): void {
    const [sender, ...topics] = payload.split("\n")
    if (sender === this.#sender) return
    for (const topic of topics) for (const { heard } of this.listeners) heard(topic)
  }

  async #flush(): Promise<void> {
    if (this.#sending) return
    this.#sending = true
    try {
      while (this.#client !== null && this.#waiting.size > 0) {
        await this.#send(this.#client, [...this.#waiting].slice(0, PgLimits.noticeTopicsAtOnce))
      }
    } catch {
      // They wait for the next connection, which is on its way.
    } finally {
      this.#sending = false
    }
  }

  /** What is published from here on is another notice, also of the same topic: it may be told of what came later. */
  async #send(client: Pg.Client, topics: ReadonlyArray<string>): Promise<void> {
    for (const topic of topics) this.#waiting.delete(topic)
    try {
      await client.query("SELECT pg_notify($1, $2)", [this.#channel, [this.#sender, ...topics].join("\n")])
    } catch (error) {
      for (const topic of topics) this.#waiting.add(topic)
      throw error
    }
  }
}

/**
 * Listens until the scope ends. A connection that breaks or cannot be made is tried again, and listeners are told what
 * they may have missed.
 */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Notices["Service"], never, Scope.Scope> {
  const post = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const made = new Post(options)
      await made.connect()
      return made
    }),
    (made) => Effect.promise(() => made.end())
  )
  return {
    publish: (topic) => post.publish(topic),
    subscribe: (listener) => {
      post.listeners.add(listener)
      return () => void post.listeners.delete(listener)
    }
  }
})
