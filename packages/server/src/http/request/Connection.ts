/** What the HTTP side asks of the connection that an answer goes to. Whoever mounts the app knows it. */
import type { HttpServerRequest } from "effect/http"

/** One answer's connection. */
export interface Connection {
  /** Runs once when nothing of the answer is held any more: it was taken, or its reader is gone. */
  readonly whenOver: (then: () => void) => void
  /** Tells how to see whether others wait for what the answer holds. */
  readonly isAwaited: (see: () => boolean) => void
  /** Breaks the answer off, so that its reader cannot take a part of it for the whole. */
  readonly cut: () => void
}

/** Finds the connection of a request that is under way. */
export type ConnectionOf = (request: HttpServerRequest.HttpServerRequest) => Connection
