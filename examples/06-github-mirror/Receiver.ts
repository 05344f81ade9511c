/** Takes Pawl's webhooks: verified, one after the other, each once. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Webhook } from "standardwebhooks"
import { Later } from "./JsonClient.ts"
import type { Mirrored, PawlEvent } from "./Mirror.ts"

/** Bytes of a message; Pawl's are far smaller. */
const longestBody = 1 << 20

/** How many ids are remembered: at least those of the time in which a message may be played again. */
const rememberedIds = 10_000

/** Pawl waits 15 seconds for an answer. */
const workMs = 12_000

export interface Receiving {
  readonly secret: string
  readonly work: (event: PawlEvent, signal: AbortSignal) => Promise<Mirrored>
  readonly log: (line: Readonly<Record<string, unknown>>) => void
}

/** The bytes of a body as text. Who sends more than any message has is cut off. */
const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Array<Buffer> = []
  let size = 0
  for await (const piece of request) {
    size += (piece as Buffer).length
    if (size > longestBody) throw new Error("too long")
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString("utf8")
}

/** What Pawl has signed in the last five minutes; null for anything else. */
const verified = (secret: string, body: string, request: IncomingMessage): PawlEvent | null => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  try {
    return new Webhook(secret).verify(body, headers) as PawlEvent
  } catch {
    return null
  }
}

const once = ({ log, work }: Receiving) => {
  const done = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  const apply = async (id: string, event: PawlEvent): Promise<number> => {
    if (done.has(id)) return 200
    const about = { message: id, event: event.id, type: event.type }
    try {
      log({ ...about, ...(await work(event, AbortSignal.timeout(workMs))) })
    } catch (problem) {
      log({ ...about, problem: problem instanceof Later ? problem.message : String(problem) })
      return 503
    }
    done.add(id)
    const [oldest] = done
    if (oldest !== undefined && done.size > rememberedIds) done.delete(oldest)
    return 200
  }
  // One after the other: what one has read may not be written over what the next one read later.
  return (id: string, event: PawlEvent): Promise<number> => {
    const answer = last.then(() => apply(id, event))
    last = answer
    return answer
  }
}

const answer = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { "content-type": "text/plain" }).end()
}

/** A server that does not listen yet. */
export const receiver = (receiving: Receiving): Server => {
  const take = once(receiving)
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === "GET" && request.url === "/health") return answer(response, 200)
    if (request.method !== "POST") return answer(response, 405)
    const event = verified(receiving.secret, await bodyOf(request), request)
    if (event === null) return answer(response, 401)
    answer(response, await take(String(request.headers["webhook-id"]), event))
  }
  return createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
}
