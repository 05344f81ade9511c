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
import { Exchange } from "./wire/Exchange.ts"
import { holdSome, holdWhole } from "./wire/HeldUpload.ts"
import type { HostProcess } from "./host/HostProcess.ts"
import type { Replicas } from "./host/Replicas.ts"
import { headerValue, lengthOf } from "./wire/WireHeaders.ts"

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

export class AppCall {
  private dropped = false
  private drop: () => void = () => undefined
  /** Gives back what was reserved for the body. */
  private free: () => void = () => undefined

  abort(): void {
    this.dropped = true
    this.drop()
  }

  run(replicas: Replicas, request: AppRequest, done: Done): void {
    const { body } = request
    if (isEmpty(request)) return this.acquire(replicas, body === null ? request : { ...request, body: null }, done)
    const length = lengthOf(headerValue(request.headers, "content-length"))
    const whole = length !== undefined && length <= LocalLimits.appLongUploadBytes && replicas.uploads.reserve(length)
    const reserved = whole ? length : LocalLimits.appHeldUploadBytes
    if (!whole && !replicas.uploads.reserve(reserved)) return this.fail(replicas.busy(), done)
    this.free = () => replicas.uploads.free(reserved)
    replicas.holding += 1
    withHeldBody(request, body!, length, whole)
      .finally(() => (replicas.holding -= 1))
      .then(
        (held) => this.acquire(replicas, held, done),
        (error: unknown) => this.fail(error, done)
      )
  }

  private over(): void {
    this.free()
    this.free = () => undefined
  }

  private fail(error: unknown, done: Done): void {
    this.over()
    done(isFailure(error) ? Exit.fail(error) : Exit.die(error))
  }

  /** Without a promise on the way where a process is free: most requests find one. */
  private acquire(replicas: Replicas, request: AppRequest, done: Done): void {
    if (this.dropped) return this.over()
    const free = replicas.takeIdle()
    if (free !== null) return this.exchange(replicas, free, request, done)
    replicas
      .acquire((leave) => (this.drop = leave))
      .then(
        (host) => {
          if (host === null || this.dropped) this.over()
          if (host === null) return done(Exit.succeed(notFound(request.method)))
          if (this.dropped) return replicas.release(host)
          this.exchange(replicas, host, request, done)
        },
        (error: unknown) => this.fail(error, done)
      )
  }

  private exchange(replicas: Replicas, host: HostProcess, request: AppRequest, done: Done): void {
    let under: Exchange | null = null
    let finished = false
    const exchange = new Exchange(host, replicas.version.id, request, {
      answered: (response) => done(Exit.succeed(response)),
      failed: (failure) => done(Exit.fail(failure)),
      finished: () => {
        finished = true
        this.over()
        if (under !== null) replicas.exchanges.delete(under)
        replicas.release(host)
      }
    })
    // It may be over before it is made.
    if (!finished) replicas.exchanges.add((under = exchange))
    this.drop = () => exchange.abort()
  }
}
