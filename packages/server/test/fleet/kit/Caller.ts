/** A client of an installation as a good one is: it has several addresses, waits for none of them for long, and asks again. */
import { request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"

/** An answer; status 0 where none came. */
export interface Answer {
  readonly status: number
  readonly text: string
}

/** An address to connect to. */
export interface Door {
  readonly host: string
  readonly port: number
  /** The host that a request names, unless it says another one. */
  readonly name?: string
}

interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Milliseconds after which an answer counts as lost. A frozen process takes connections and says nothing. */
const patienceMs = 8000

/** Asks one address once. */
export const ask = ({ host, name, port }: Door, { body, headers = {}, method = "GET", path }: Asked): Promise<Answer> =>
  new Promise((resolve) => {
    const lost = (error: Error) => resolve({ status: 0, text: error.message })
    const sent = request(
      {
        host,
        port,
        method,
        path,
        agent: false,
        signal: AbortSignal.timeout(patienceMs),
        headers: { ...(name === undefined ? {} : { host: name }), ...headers }
      },
      (response) => {
        const pieces: Array<Buffer> = []
        response.on("data", (piece: Buffer) => pieces.push(piece))
        response.on("end", () =>
          response.complete
            ? resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString("utf8") })
            : lost(new Error("the answer broke off"))
        )
        response.on("error", lost)
      }
    )
    sent.on("error", lost)
    sent.end(body)
  })

/** A refusal that no repetition changes. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(`${status}: ${text}`)
    this.status = status
  }
}

/** What a caller may do. */
export interface Caller {
  /** Answers the JSON of a success; asks for ever while nobody answers, or 408, 429 or 5xx. `Refused` for any other status. */
  readonly get: <A>(path: string) => Promise<A>
  /** As `get`. A repetition may follow a request that was heard: only for what can be sent twice. */
  readonly send: <A>(method: "POST" | "PUT", path: string, body: unknown) => Promise<A>
  /** Asks once, one door after another. */
  readonly once: (method: "POST" | "PUT", path: string, body: unknown) => Promise<Answer>
}

const isPassing = (status: number): boolean => status === 0 || status === 408 || status === 429 || status >= 500

/** A client with a token that goes on to the next door whenever one does not answer. */
export const caller = (doors: ReadonlyArray<Door>, token: string): Caller => {
  let turn = 0
  const once = async (asked: Asked): Promise<Answer> => {
    const answer = await ask(doors[turn % doors.length]!, asked)
    if (isPassing(answer.status)) {
      turn += 1
      await pause(150)
    }
    return answer
  }
  const repeat = async <A>(asked: Asked): Promise<A> => {
    for (;;) {
      const { status, text } = await once(asked)
      if (status >= 200 && status < 300) return JSON.parse(text) as A
      if (!isPassing(status)) throw new Refused(status, text)
    }
  }
  const authorization = `Bearer ${token}`
  const sent = (method: string, path: string, body: unknown): Asked => ({
    method,
    path,
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return {
    get: (path) => repeat({ path, headers: { authorization } }),
    send: (method, path, body) => repeat(sent(method, path, body)),
    once: (method, path, body) => once(sent(method, path, body))
  }
}
