/** The stream of changes of state as the console reads it, sent by a test, which counts who asks for it and from where. */
import type { IncomingMessage, ServerResponse } from "node:http"

/** What a test does with it, and sees of it. */
export interface NewsStream {
  /** Answers a request for the stream, and says whether it was one. */
  readonly answer: (req: IncomingMessage, res: ServerResponse) => boolean
  /** The `after` of each request that was answered so far; null where it had none. */
  readonly asked: ReadonlyArray<string | null>
  /** How many are open. */
  readonly open: () => number
  /** Sends a change of state to those that are open. Each has the next sequence, from 1 on. */
  readonly send: (frame: { readonly projectId: string; readonly kind: string; readonly id: string }) => void
  /** The sequence of the one that was sent last. */
  readonly last: () => number
  /** Ends those that are open and opens no other, as a server that is stopped, until `comeBack`. */
  readonly goAway: () => void
  readonly comeBack: () => void
  /**
   * From now on nothing is kept of what came before: who asks for what came after something is told that it is gone (410),
   * and the test is told before, by `gone`.
   */
  readonly forget: (gone: () => void) => void
}

/** Milliseconds between two signs of life, as the server gives them: a reader takes a stream that is silent for gone. */
const signOfLifeMs = 15_000

/** A stream that nobody reads yet. */
export const newsStream = (): NewsStream => {
  const readers = new Set<ServerResponse>()
  const asked: Array<string | null> = []
  let sequence = 0
  let isAway = false
  let forgotten: (() => void) | undefined
  return {
    asked,
    open: () => readers.size,
    answer: (req, res) => {
      const { pathname, searchParams } = new URL(req.url ?? "/", "http://localhost")
      if (pathname !== "/v1/changes-of-state") return false
      if (isAway) {
        res.destroy()
        return true
      }
      const after = searchParams.get("after")
      asked.push(after)
      if (forgotten !== undefined && after !== null) {
        forgotten()
        res.writeHead(410).end()
        return true
      }
      res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
      res.write(": here\n\n")
      readers.add(res)
      const alive = setInterval(() => res.write(": here\n\n"), signOfLifeMs)
      res.once("close", () => {
        clearInterval(alive)
        readers.delete(res)
      })
      return true
    },
    send: (frame) => {
      sequence += 1
      const data = JSON.stringify({ ...frame, to: "moved", sequence })
      for (const reader of readers) reader.write(`id: ${sequence}\ndata: ${data}\n\n`)
    },
    last: () => sequence,
    goAway: () => {
      isAway = true
      for (const reader of readers) reader.destroy()
    },
    comeBack: () => {
      isAway = false
    },
    forget: (gone) => {
      forgotten = gone
    }
  }
}
