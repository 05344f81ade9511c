/** The line of one process to NATS: a connection that is made anew for ever, and what is told and heard on it. */
import { randomBytes } from "node:crypto"
import type { NatsConnection } from "@nats-io/transport-node"
import * as NoticePost from "@pawl/core/ledger/NoticePost"
import type { NatsOptions } from "./NatsAddress.ts"
import { answered, connect, NatsAway } from "./NatsConnections.ts"
import { reasonOf } from "./NatsFailures.ts"
import { NatsLimits } from "./NatsLimits.ts"

/** What a line needs, beside the servers. */
export interface LineOptions extends NatsOptions {
  /** Where all who belong together speak and listen. */
  readonly subject: string
  /** Called when it changes whether the others are reached: null, or why not. */
  readonly changed: (away: string | null) => void
}

/** The line itself. `open` resolves when the first try is over, whatever came of it. */
export class NatsLine {
  readonly post = NoticePost.make({
    sender: randomBytes(6).toString("hex"),
    topicsKept: NatsLimits.natsTopicsKept,
    topicsAtOnce: NatsLimits.natsTopicsAtOnce
  })
  readonly #options: LineOptions
  #connection: NatsConnection | null = null
  #away: string | null = "it was not reached yet"
  #failures = 0
  #ended = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: LineOptions) {
    this.#options = options
  }

  get away(): string | null {
    return this.#away
  }

  async open(): Promise<void> {
    try {
      const connection = await connect(this.#options)
      void this.#stay(connection)
      await this.#listen(connection)
      if (this.#ended) return void connection.close()
      this.#connection = connection
      this.#failures = 0
      this.#say(null)
      this.post.miss()
      void this.#flush()
    } catch (error) {
      this.#lose(error)
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
    await this.#connection?.close()
  }

  /** Resolves when the server listens for us too. */
  async #listen(connection: NatsConnection): Promise<void> {
    let refused: Error | null = null
    connection.subscribe(this.#options.subject, {
      callback: (problem, message) => {
        if (problem !== null) {
          refused = problem
          // A subscription that is over brings no more: a connection without one is none.
          void connection.close()
        } else if (message.data.length <= NatsLimits.natsMessageBytes) this.post.hear(message.string())
      }
    })
    try {
      await answered(connection)
    } catch (error) {
      throw refused ?? error
    }
    if (refused !== null) throw refused
  }

  /** Until the connection ends; meanwhile the server may say that we are not allowed to tell. */
  async #stay(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status())
      if (status.type === "error" && this.#connection === connection) this.#say(reasonOf(status.error))
    const problem = await connection.closed()
    if (this.#connection !== connection) return
    this.#connection = null
    if (this.#ended) return
    this.post.miss()
    this.#lose(problem)
  }

  #lose(problem: unknown): void {
    if (this.#ended) return
    this.#say(problem instanceof NatsAway ? problem.message : reasonOf(problem))
    const wait = Math.min(NatsLimits.natsRetryMs * 2 ** this.#failures, NatsLimits.natsRetryMostMs)
    if (wait < NatsLimits.natsRetryMostMs) this.#failures++
    // Those who lost the same server do not all come back in one moment.
    this.#timer = setTimeout(() => void this.open(), wait * (0.5 + Math.random() / 2))
  }

  #say(away: string | null): void {
    if (this.#away === away) return
    this.#away = away
    this.#options.changed(away)
  }

  #flush(): Promise<void> {
    return this.post.flush(() => {
      const connection = this.#connection
      if (connection === null) return null
      return (message) => {
        connection.publish(this.#options.subject, message)
        return answered(connection)
      }
    })
  }
}
