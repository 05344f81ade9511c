/**
 * One request to a registry, with bounds on time and bytes. It sends no credentials, keeps no cookies and knows no proxy.
 */
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { createGunzip, type Gunzip } from "node:zlib"
import { Effect } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import {
  Misled,
  NotAnswered,
  type RegistryAnswer,
  type RegistryQuestion,
  type RegistryTimes
} from "./RegistryQuestion.ts"

/** The connections of a client to its registry, which are kept for a while. */
export const connectionsTo = (registry: URL): HttpAgent => {
  const kept = { keepAlive: true, maxSockets: LocalLimits.registryConnections }
  return registry.protocol === "https:" ? new HttpsAgent(kept) : new HttpAgent(kept)
}

type Failure = NotAnswered | Misled
const unanswered = (reason: string, lasting = false) => new NotAnswered({ reason, lasting })

/** Only the code of an error: its text may repeat what the registry sent. */
const broken = (error: unknown): NotAnswered => {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
  return unanswered(`broke off, or cannot be reached${/^[A-Z0-9_]{1,60}$/.test(code) ? `: ${code}` : ""}`)
}

/** One timer at a time, each with its own words. */
class Patience {
  readonly #end: (failure: Failure) => void
  #timer: NodeJS.Timeout | undefined
  constructor(end: (failure: Failure) => void) {
    this.#end = end
  }
  wait(ms: number, words: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(unanswered(words)), ms)
  }
  stop(): void {
    clearTimeout(this.#timer)
  }
}

/** Reads a body within its bound, unpacked when it was sent packed. */
const reading = (
  response: IncomingMessage,
  { into, maxBytes }: RegistryQuestion,
  end: (outcome: Failure | Buffer) => void,
  arrived: () => void
): void => {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  const isPacked = encoding === "gzip" || encoding === "x-gzip"
  if (!isPacked && encoding !== "identity") return end(unanswered("answers in an encoding that nobody asked for"))
  const tooBig = () => end(new Misled({ code: "package_too_big", reason: `answers with more than ${maxBytes} bytes` }))
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return tooBig()
  const pieces: Array<Buffer> = []
  const intake = into === null ? { write: (piece: Buffer) => void pieces.push(piece) } : into()
  let taken = 0
  let sent = 0
  const unpack: Gunzip | null = isPacked ? createGunzip({ chunkSize: LocalLimits.packagePieceBytes }) : null
  const take = (piece: Buffer) => {
    taken += piece.length
    if (taken > maxBytes) {
      unpack?.destroy()
      return tooBig()
    }
    try {
      intake.write(piece)
    } catch (error) {
      end(unanswered(`says what ${error instanceof Error ? error.message : "cannot be read"}`))
    }
  }
  const whole = () => end(Buffer.concat(pieces))
  response.on("data", (piece: Buffer) => {
    arrived()
    sent += piece.length
    if (sent > maxBytes) return tooBig()
    if (unpack === null) take(piece)
    else unpack.write(piece)
  })
  response.on("error", (error) => end(broken(error)))
  response.on("end", () => {
    if (!response.complete) end(unanswered("broke off"))
    else if (unpack === null) whole()
    else unpack.end()
  })
  unpack?.on("data", take)
  unpack?.on("end", whole)
  unpack?.on("error", () => end(unanswered("answers with what cannot be unpacked")))
}

/** Sends one question and reads its answer, whatever the status. */
export const ask = (
  connections: HttpAgent,
  question: RegistryQuestion,
  times: RegistryTimes
): Effect.Effect<RegistryAnswer, NotAnswered | Misled> =>
  Effect.callback<RegistryAnswer, NotAnswered | Misled>((resume) => {
    const { accept, body, mayBePacked, url } = question
    const send = url.protocol === "https:" ? httpsRequest : httpRequest
    let outgoing: ClientRequest | null = null
    const stop = () => {
      patience.stop()
      clearTimeout(whole)
    }
    const fail = (failure: Failure) => {
      stop()
      outgoing?.destroy()
      resume(Effect.fail(failure))
    }
    const patience = new Patience(fail)
    const whole = setTimeout(() => fail(unanswered("takes too long for one answer")), times.wholeMs)
    const answered = (response: IncomingMessage) => {
      const status = response.statusCode ?? 0
      const location = response.headers.location ?? null
      patience.wait(times.pauseMs, "stopped in the middle of an answer")
      if (status !== 200) {
        stop()
        // Its connection is not kept: what it says beside its status is not read.
        response.destroy()
        return resume(Effect.succeed({ status, location, body: new Uint8Array() }))
      }
      reading(
        response,
        question,
        (outcome) => {
          if (!Buffer.isBuffer(outcome)) return fail(outcome)
          stop()
          resume(Effect.succeed({ status, location, body: outcome }))
        },
        () => patience.wait(times.pauseMs, "stopped in the middle of an answer")
      )
    }
    const headers: Record<string, string> = {
      accept,
      "accept-encoding": mayBePacked ? "gzip" : "identity",
      "user-agent": "pawl"
    }
    if (body !== null) {
      headers["content-type"] = "application/json"
      headers["content-encoding"] = "gzip"
      headers["content-length"] = String(body.length)
    }
    patience.wait(times.connectMs, "cannot be reached in time")
    outgoing = send(url, { method: body === null ? "GET" : "POST", agent: connections, headers }, answered)
    const connected = () => patience.wait(times.firstByteMs, "does not begin to answer in time")
    outgoing.on("socket", (socket) => {
      if (socket.connecting) socket.once("connect", connected)
      else connected()
    })
    outgoing.on("error", (error) => fail(broken(error)))
    outgoing.end(body ?? undefined)
    return Effect.sync(() => {
      stop()
      outgoing?.destroy()
    })
  })
