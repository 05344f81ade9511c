/** One question to a server or a host over HTTP. Redirects are not followed; an answer has a bound in bytes and in time. */
import { request as requestPlain } from "node:http"
import { request as requestSecure } from "node:https"
import type { MaterialUnreadable } from "@pawl/core/proof/Material"
import { Effect } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import { unreadable } from "./ProofFiles.ts"

/** What was asked for, and how long the answer may be. */
export interface HostQuestion {
  readonly url: URL
  /** In words for people: `the server`, `live`. */
  readonly part: string
  readonly token?: string | null
  readonly bytes: number
}

/** What came back, whatever its status. */
export interface HostAnswer {
  readonly status: number
  readonly body: Uint8Array
}

/** Names under `localhost` are this machine (RFC 6761), and not every resolver knows it. */
const isOwnMachine = (hostname: string): boolean => hostname === "localhost" || hostname.endsWith(".localhost")

const asked = ({ bytes, token = null, url }: HostQuestion, signal: AbortSignal): Promise<HostAnswer> =>
  new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestSecure : requestPlain
    const own = isOwnMachine(url.hostname) ? { hostname: "127.0.0.1", servername: url.hostname } : {}
    const headers = { host: url.host, ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
    const sent = request(url, { ...own, headers, signal }, (response) => {
      const chunks: Array<Uint8Array> = []
      let length = 0
      response.on("error", reject).on("data", (chunk: Uint8Array) => {
        length += chunk.length
        chunks.push(chunk)
        if (length > bytes) response.destroy(new Error(`${url.pathname} has more than ${bytes} bytes`))
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
    })
    sent.on("error", reject).end()
  })

const wordsOf = (error: unknown, { url }: HostQuestion): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return `${url.origin}: ${message === "" || message === undefined ? (code ?? "no answer") : message}`
}

/** Asks. What does not answer, or not in time, or too much, is `MaterialUnreadable`. */
export const askHost = (question: HostQuestion): Effect.Effect<HostAnswer, MaterialUnreadable> =>
  Effect.tryPromise({
    try: (signal) => asked(question, signal),
    catch: (error) => unreadable(question.part, wordsOf(error, question))
  }).pipe(
    Effect.timeoutOrElse({
      duration: ServerLimits.verifyAnswerMs,
      orElse: () =>
        unreadable(question.part, `${question.url.origin}: no answer within ${ServerLimits.verifyAnswerMs} ms`)
    })
  )

/** Joins an address that was given and a path below it. */
export const below = (address: string, path: string): URL => new URL(`${address.replace(/\/+$/, "")}${path}`)
