/** One request to one process and its answer, over the process's own connection. */
import {
  AppOverLimit,
  type AppRequest,
  type AppResponse,
  AppRuntimeUnavailable,
  AppThrew,
  type Headers
} from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../../LocalLimits.ts"
import { BytesBody } from "@pawl/router/Body"
import { AnswerBody } from "./AnswerBody.ts"
import type { AnswerHead } from "./AnswerParser.ts"
import type { Answering } from "./AppConnection.ts"
import type { HostProcess } from "../host/HostProcess.ts"
import { leftUnreadBytes, outcomeHeader, stackMark } from "../host/HostModules.ts"
import { Upload } from "./Upload.ts"
import { VisitorWait } from "./VisitorWait.ts"
import { headerValue, lengthOf, requestHead, withoutPrivate } from "./WireHeaders.ts"

/** How one exchange may fail. */
export type ExchangeFailure = AppThrew | AppOverLimit | AppRuntimeUnavailable

/** `answered` or `failed` is told once, unless the request is aborted before. */
export interface ExchangeEvents {
  readonly answered: (response: AppResponse) => void
  readonly failed: (failure: ExchangeFailure) => void
  /**
   * The process has nothing more to do with this request, and may be given another. Called once: before `answered` when the
   * whole answer is there, after `failed`, or alone after `abort`.
   */
  readonly finished: () => void
}

/** May be sent again although the first may have been acted on (RFC 9110, 9.2.1). */
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"])
/** A reason, its stack and the mark between them. */
const toldBytes = 4 * 6 * LocalLimits.appReasonLength

/**
 * One request to an app and its answer. It begins when it is made. A safe request whose kept connection was stale is
 * asked once more.
 */
export class Exchange implements Answering {
  private readonly host: HostProcess
  private readonly versionId: string
  private readonly input: AppRequest
  private readonly events: ExchangeEvents
  private readonly wall: NodeJS.Timeout
  private readonly wait = new VisitorWait()
  private stall: NodeJS.Timeout | null = null
  private upload: Upload | null = null
  /** The head of the answer, until it is passed on. */
  private begun: AnswerHead | null = null
  private threw = false
  private pieces: Array<Buffer> = []
  private body: AnswerBody | null = null
  private received = 0
  private whole = false
  private settled = false
  private ended = false
  private asked = 0

  constructor(host: HostProcess, versionId: string, input: AppRequest, events: ExchangeEvents) {
    this.host = host
    this.versionId = versionId
    this.input = input
    this.events = events
    this.wall = setTimeout(() => this.stop(this.overLimit("wall")), host.bounds.wallMs)
    host.begin()
    host.onTooManyCalls = () => this.stop(this.overLimit("subrequests"))
    this.ask()
  }

  /** Drops the request, whatever it is doing. */
  abort(): void {
    this.settled = true
    // Whoever asked may have left with the answer on its way: nobody would let go of what is kept of it.
    this.body?.destroy()
    this.over()
  }

  /** How long the process has been waiting for the visitor instead of serving another. */
  get waitedMs(): number {
    return this.wait.ms
  }

  /** Lets go of a visitor who keeps the process waiting while others wait for it. */
  detach(): void {
    this.stop(new AppRuntimeUnavailable({ reason: "the visitor is slow, and others wait" }))
  }

  private overLimit(limit: "wall" | "subrequests" | "response"): AppOverLimit {
    return new AppOverLimit({ version: this.versionId, limit, retryAfterSeconds: 1 })
  }

  private failure(reason: string, trace?: string): AppThrew {
    return new AppThrew({ version: this.versionId, reason, ...(trace ? { trace } : {}) })
  }

  private ask(): void {
    const { body, headers, method, url } = this.input
    this.asked += 1
    const held = body instanceof BytesBody ? body.bytes : null
    const length = held === null ? lengthOf(headerValue(headers, "content-length")) : held.length
    const head = requestHead(method, url, headers, body === null ? null : (length ?? "chunked"))
    if (head === null)
      return this.stop(new AppRuntimeUnavailable({ reason: "the request has a header that cannot be sent" }))
    this.host.connection.ask(head, held, method === "HEAD", this)
    if (body === null || held !== null) return
    this.upload = new Upload(this.host.connection, body, length, this.wait)
    this.upload.run(this.host.bounds.stallMs, (reason) => this.stop(new AppRuntimeUnavailable({ reason })))
  }

  head(head: AnswerHead): void {
    const outcome = headerValue(head.headers, outcomeHeader)
    this.threw = outcome === "threw"
    if (outcome !== "ok" && !this.threw) return this.stop(this.failure("the answer is not one that can be sent"))
    if ((head.length ?? 0) > this.host.bounds.responseBytes && this.input.method !== "HEAD")
      return this.stop(this.overLimit("response"))
    this.begun = head
  }

  data(bytes: Buffer): void {
    if (this.ended) return
    this.received += bytes.length
    if (this.received > this.host.bounds.responseBytes) return this.stop(this.overLimit("response"))
    if (this.body === null) this.pieces.push(bytes)
    else if (!this.body.push(bytes)) this.hold()
  }

  end(): void {
    this.whole = true
  }

  drained(): void {
    this.upload?.drained()
  }

  /** Everything that came was taken: a short answer is there as a whole, of a long one the first part. */
  fed(): void {
    if (this.ended) return
    if (this.threw) {
      if (this.received > toldBytes || this.whole) this.tell()
    } else if (this.begun !== null && !this.settled) {
      if (this.whole) return this.passWhole(this.begun)
      this.pass(this.begun)
    }
    if (!this.whole) return
    this.body?.end()
    this.over()
  }

  private tell(): void {
    const [reason = "", trace] = Buffer.concat(this.pieces).toString("utf8").split(stackMark)
    this.stop(this.failure(reason.slice(0, LocalLimits.appReasonLength), trace))
  }

  /** The process is free before its visitor is answered: another request goes to it meanwhile. */
  private passWhole({ headers, length, status }: AnswerHead): void {
    const bytes = this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces)
    const passed = withoutPrivate(headers)
    this.over()
    if (bytes.length === 0) return this.succeed({ status, headers: passed, body: null })
    const sized: Headers = length === null ? [...passed, ["content-length", String(bytes.length)]] : passed
    this.succeed({ status, headers: sized, body: new BytesBody(bytes) })
  }

  private pass(head: AnswerHead): void {
    // One of a known short length is awaited, so that what breaks off is a failure and not half an answer.
    if (head.length !== null && head.length <= LocalLimits.appHeldBodyBytes) return
    const body = new AnswerBody(this.host.room, { room: () => this.release(), left: () => this.abort() })
    this.body = body
    for (const piece of this.pieces) if (!body.push(piece)) this.hold()
    this.pieces = []
    this.succeed({ status: head.status, headers: withoutPrivate(head.headers), body })
  }

  /** The visitor reads too slowly: the app waits, but not for long. */
  private hold(): void {
    this.host.connection.pause()
    this.wait.begin()
    this.stall ??= setTimeout(
      () => this.stop(new AppRuntimeUnavailable({ reason: "the visitor reads too slowly" })),
      this.host.bounds.stallMs
    )
  }

  private release(): void {
    if (this.stall === null) return
    clearTimeout(this.stall)
    this.stall = null
    this.wait.end()
    this.host.connection.resume()
  }

  /**
   * The connection broke: the process died, or a kept connection was stale, or the app's body failed. The death
   * is waited for also when nobody waits for the answer, so that the next request does not go to a dead process.
   */
  broken(stale: boolean): void {
    if (!this.ended) void this.broke(stale)
  }

  private async broke(stale: boolean): Promise<void> {
    await this.deathNotice()
    if (this.ended) return
    if (!this.host.usable) return this.stop(this.host.causeOfDeath(this.versionId))
    const { body, method } = this.input
    const replayable = safeMethods.has(method) && (body === null || body instanceof BytesBody)
    if (!this.settled && stale && replayable && this.asked === 1) return this.ask()
    this.stop(new AppThrew({ version: this.versionId, reason: "the answer broke off", how: "broke_off" }))
  }

  private async deathNotice(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await Promise.race([
      this.host.exited,
      new Promise<void>((resolve) => (timer = setTimeout(resolve, LocalLimits.appDeathNoticeMs)))
    ])
    clearTimeout(timer)
  }

  private succeed(response: AppResponse): void {
    if (this.settled) return
    this.settled = true
    this.events.answered(response)
  }

  private stop(failure: ExchangeFailure): void {
    if (!this.settled) {
      this.settled = true
      this.events.failed(failure)
    }
    // An answer that is being read is cut off, with the reason.
    this.body?.fail(failure)
    this.over()
  }

  private over(): void {
    if (this.ended) return
    this.ended = true
    clearTimeout(this.wall)
    if (this.stall !== null) clearTimeout(this.stall)
    this.upload?.stop()
    // Not kept when either side may be unfinished: the rest would run into the next request.
    const { body } = this.input
    const sent = body === null || (body instanceof BytesBody && body.bytes.length <= leftUnreadBytes)
    if (!this.whole || !sent) this.host.connection.destroy()
    // The last of the answer came when there was no room for more of it: what is next on the connection is not its own.
    else if (this.stall !== null) this.host.connection.resume()
    this.host.end()
    this.events.finished()
  }
}
