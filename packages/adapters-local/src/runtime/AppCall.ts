/** One call of `fetch`: it holds what it can of a body, waits for a process and passes the request to it. */
import {
  AppOverLimit,
  type AppRequest,
  type AppResponse,
  AppRuntimeUnavailable,
  AppThrew,
  BundleUnusable
} from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../LocalLimits.ts"
import { BytesBody } from "@pawl/router/Body"
import { Exit } from "effect"
import { Exchange, type ExchangeEvents, type ExchangeFailure } from "./wire/HostExchange.ts"
import { holdSome, holdWhole } from "./wire/HeldUpload.ts"
import type { HostProcess } from "./host/HostProcess.ts"
import type { Replicas, Waiter } from "./host/Replicas.ts"
import { headerValue, lengthOf } from "./wire/WireHeaders.ts"

/** How a call may fail: the app's doing, a bound, a bundle that cannot run, or this machine. */
export type AppFailure = AppThrew | AppOverLimit | BundleUnusable | AppRuntimeUnavailable
const isFailure = (error: unknown): error is AppFailure =>
  error instanceof AppThrew ||
  error instanceof AppOverLimit ||
  error instanceof BundleUnusable ||
  error instanceof AppRuntimeUnavailable

type Done = (exit: Exit.Exit<AppResponse, AppFailure>) => void

const notFound = (method: string): AppResponse => ({
  status: 404,
  headers: [["content-type", "text/plain; charset=utf-8"]],
  body: method === "HEAD" ? null : new BytesBody(Buffer.from("Not found\n"))
})

const brokeOff = new AppRuntimeUnavailable({ reason: "the request's body broke off" })

const isEmpty = ({ body, headers }: AppRequest): boolean =>
  body === null || (!(body instanceof BytesBody) && headerValue(headers, "content-length") === "0")

/** The request with as much of its body in memory as may be: all of it when it is to be held `whole`, else what comes soon. */
const withHeldBody = async (
  request: AppRequest,
  body: AsyncIterable<Uint8Array>,
  length: number | undefined,
  whole: boolean
): Promise<AppRequest> => {
  if (length !== undefined && whole) {
    const held = await holdWhole(body, length)
    if (held === null) throw brokeOff
    return { ...request, body: held }
  }
  const some = await holdSome(body).catch(() => null)
  if (some === null || (some instanceof BytesBody && length !== undefined && some.bytes.length !== length))
    throw brokeOff
  return { ...request, body: some }
}

/** What is done for one visitor until there is an answer, and until its process is free again. */
export class AppCall implements Waiter, ExchangeEvents {
  private readonly replicas: Replicas
  private readonly done: Done
  private request: AppRequest
  private dropped = false
  /** Reserved for the body, in bytes. */
  private reserved = 0
  private host: HostProcess | null = null
  private under: Exchange | null = null

  constructor(replicas: Replicas, request: AppRequest, done: Done) {
    this.replicas = replicas
    this.request = request
    this.done = done
  }

  /** The visitor left: nothing is told any more. */
  abort(): void {
    this.dropped = true
    if (this.under !== null) this.under.abort()
    else if (this.replicas.leave(this)) this.over()
  }

  /** Starts it. Call it once. */
  run(): void {
    const { replicas, request } = this
    const { body, headers } = request
    if (isEmpty(request)) {
      if (body !== null) this.request = { ...request, body: null }
      return this.ask()
    }
    const length = lengthOf(headerValue(headers, "content-length"))
    const whole = length !== undefined && length <= LocalLimits.appLongUploadBytes && replicas.uploads.reserve(length)
    const reserved = whole ? length : LocalLimits.appHeldUploadBytes
    if (!whole && !replicas.uploads.reserve(reserved)) return this.refuse(replicas.busy())
    this.reserved = reserved
    replicas.holding += 1
    withHeldBody(request, body!, length, whole)
      .finally(() => (replicas.holding -= 1))
      .then(
        (held) => {
          this.request = held
          this.ask()
        },
        (error: unknown) => this.refuse(error)
      )
  }

  private ask(): void {
    if (this.dropped) this.over()
    else this.replicas.ask(this)
  }

  private over(): void {
    this.replicas.uploads.free(this.reserved)
    this.reserved = 0
  }

  refuse(error: unknown): void {
    this.over()
    this.done(isFailure(error) ? Exit.fail(error) : Exit.die(error))
  }

  give(host: HostProcess | null): void {
    const { replicas, request } = this
    if (host === null) {
      this.over()
      return this.done(Exit.succeed(notFound(request.method)))
    }
    this.host = host
    const exchange = new Exchange(host, replicas.version.id, request, this)
    // It may be over before it is made.
    if (this.host === null) return
    this.under = exchange
    replicas.exchanges.add(exchange)
  }

  answered(response: AppResponse): void {
    this.done(Exit.succeed(response))
  }

  failed(failure: ExchangeFailure): void {
    this.done(Exit.fail(failure))
  }

  finished(): void {
    const { host, replicas, under } = this
    this.host = null
    this.over()
    if (under !== null) replicas.exchanges.delete(under)
    if (host !== null) replicas.release(host)
  }
}
