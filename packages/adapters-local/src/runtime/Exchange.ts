/** One request to one process and its answer, over HTTP on the process's own socket. */
import { type ClientRequest, type IncomingMessage, request as httpRequest } from "node:http"
import { Readable } from "node:stream"
import {
  AppOverLimit,
  type AppRequest,
  AppRuntimeUnavailable,
  type AppResponse,
  AppThrew
} from "@pawl/core/app/AppRuntime"
import { Limits } from "@pawl/core/primitives/Limits"
import { exactly, HeldBody } from "./HeldBody.ts"
import type { HostProcess } from "./HostProcess.ts"
import { outcomeHeader } from "./HostWorker.ts"
import { fromWire, headerValue, lengthOf, toWire, wireValue } from "./WireHeaders.ts"

export type ExchangeFailure = AppThrew | AppOverLimit | AppRuntimeUnavailable

export interface ExchangeEvents {
  readonly answered: (response: AppResponse) => void
  readonly failed: (failure: ExchangeFailure) => void
  /** The process has nothing more to do with this request. Called once, after `answered` or `failed` or alone after `abort`. */
  readonly finished: () => void
}

/** How long a broken connection waits to hear that its process died. */
const deathNoticeMs = 500

export class Exchange {
  private readonly host: HostProcess
  private readonly versionId: string
  private readonly input: AppRequest
  private readonly events: ExchangeEvents
  private readonly wall: NodeJS.Timeout
  private sent: ClientRequest | null = null
  private received: IncomingMessage | null = null
  private settled = false
  private ended = false
  private attempts = 0

  constructor(host: HostProcess, versionId: string, input: AppRequest, events: ExchangeEvents) {
    this.host = host
    this.versionId = versionId
    this.input = input
    this.events = events
    this.wall = setTimeout(() => this.stop(this.overLimit("wall")), host.wallMs)
    host.begin()
    host.onTooManyCalls = () => this.stop(this.overLimit("subrequests"))
    this.send()
  }

  /** Drops the request, whatever it is doing. */
  abort(): void {
    this.settled = true
    this.end()
  }

  private overLimit(limit: "wall" | "subrequests"): AppOverLimit {
    return new AppOverLimit({ version: this.versionId, limit, retryAfterSeconds: 1 })
  }

  private threw(reason: string): AppThrew {
    return new AppThrew({ version: this.versionId, reason })
  }

  private send(): void {
    const { body, headers, method, url } = this.input
    this.attempts += 1
    const flat = toWire(headers)
    const target = /^[\x21-\x7e]+$/.test(url) ? url : new URL(url).href
    const length = body instanceof HeldBody ? body.bytes.length : lengthOf(headerValue(headers, "content-length"))
    // Without a length and without chunks, Node would send the body of a GET as a second request.
    if (body !== null && length === undefined) flat.push("transfer-encoding", "chunked")
    let sent: ClientRequest
    try {
      sent = httpRequest({
        socketPath: this.host.appSocket,
        agent: this.host.agent,
        method,
        path: target,
        headers: flat,
        maxHeaderSize: Limits.appHeaderBytes,
        setHost: false
      })
    } catch (error) {
      return this.stop(new AppRuntimeUnavailable({ reason: `the request cannot be passed on: ${String(error)}` }))
    }
    this.sent = sent
    sent.on("response", (response) => this.receive(response))
    sent.on("error", () => void this.broken(sent))
    if (body === null) sent.end()
    else if (body instanceof HeldBody) sent.end(body.bytes)
    else this.upload(sent, length === undefined ? body : exactly(body, length))
  }

  private upload(sent: ClientRequest, body: AsyncIterable<Uint8Array>): void {
    const own = !(body instanceof Readable)
    const source = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
    source.once("error", () => this.stop(new AppRuntimeUnavailable({ reason: "the request's body broke off" })))
    // The visitor's stream is left to its owner: destroying it would cut the connection that the answer goes out on.
    sent.once("close", () => (own ? source.destroy() : source.unpipe(sent)))
    source.pipe(sent)
  }

  private receive(response: IncomingMessage): void {
    this.received = response
    response.once("close", () => (this.brokeOff(response) ? void this.broken(null) : this.end()))
    response.on("error", () => undefined)
    if (this.settled) return void response.destroy()
    const outcome = wireValue(response.rawHeaders, outcomeHeader)
    if (outcome === `${this.host.mark}:ok`) return this.answer(response)
    if (outcome !== `${this.host.mark}:threw`) return this.stop(this.threw("the answer is not one that can be sent"))
    this.collect(response, 4 * Limits.appReasonLength, (bytes) => this.fail(this.threw(bytes.toString("utf8"))))
  }

  private answer(response: IncomingMessage): void {
    const status = response.statusCode ?? 500
    const head = { status, headers: fromWire(response.rawHeaders) }
    const length = lengthOf(wireValue(response.rawHeaders, "content-length"))
    const empty = this.input.method === "HEAD" || status === 204 || status === 304
    if (empty) this.collect(response, 0, () => this.succeed({ ...head, body: null }))
    else if (length !== undefined && length <= Limits.appHeldBodyBytes)
      this.collect(response, length, (bytes) =>
        this.succeed({ ...head, body: bytes.length === 0 ? null : new HeldBody(bytes) })
      )
    else this.succeed({ ...head, body: response })
  }

  /** Reads a short body to its end; one that breaks off is a failed request, not a short answer. */
  private collect(response: IncomingMessage, most: number, done: (bytes: Buffer) => void): void {
    const chunks: Array<Buffer> = []
    let total = 0
    response.on("data", (chunk: Buffer) => {
      total += chunk.length
      if (total <= most) chunks.push(chunk)
    })
    response.once("end", () => done(Buffer.concat(chunks)))
  }

  /** Whether the process's end of the connection closed in the middle, as opposed to a reader who left. */
  private brokeOff(response: IncomingMessage): boolean {
    const cause: unknown = response.errored
    return !response.complete && !this.ended && cause instanceof Error && "code" in cause && cause.code === "ECONNRESET"
  }

  /**
   * The connection broke: the process died, or a kept connection was stale, or the app's body failed. The death
   * is waited for also when nobody waits for the answer, so that the next request does not go to a dead process.
   */
  private async broken(sent: ClientRequest | null): Promise<void> {
    if (this.ended) return
    await this.deathNotice()
    if (this.ended) return
    if (!this.host.alive) return this.stop(this.host.causeOfDeath(this.versionId))
    const replayable = this.input.body === null || this.input.body instanceof HeldBody
    if (!this.settled && sent?.reusedSocket === true && replayable && this.received === null && this.attempts === 1)
      return this.send()
    this.stop(this.threw("the answer broke off"))
  }

  private async deathNotice(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await Promise.race([this.host.exited, new Promise<void>((resolve) => (timer = setTimeout(resolve, deathNoticeMs)))])
    clearTimeout(timer)
  }

  private succeed(response: AppResponse): void {
    if (this.settled) return
    this.settled = true
    this.events.answered(response)
  }

  private fail(failure: ExchangeFailure): void {
    if (this.settled) return
    this.settled = true
    this.events.failed(failure)
  }

  private stop(failure: ExchangeFailure): void {
    this.fail(failure)
    // An answer that is being read is cut off, with the reason.
    if (this.received !== null && !this.received.complete) this.received.destroy(failure)
    this.end()
  }

  private end(): void {
    if (this.ended) return
    this.ended = true
    clearTimeout(this.wall)
    // Not kept when either side is unfinished: the rest would run into the next request.
    if (this.sent !== null && (!this.sent.writableFinished || this.received?.complete !== true)) this.sent.destroy()
    this.host.end()
    this.events.finished()
  }
}
