/** One call of `fetch`: it holds a short body, waits for a process and passes the request to it. */
import {
  AppOverLimit,
  type AppRequest,
  type AppResponse,
  AppRuntimeUnavailable,
  AppThrew,
  BundleUnusable
} from "@pawl/core/app/AppRuntime"
import { Limits } from "@pawl/core/primitives/Limits"
import { Exit } from "effect"
import { Exchange } from "./Exchange.ts"
import { HeldBody, hold } from "./HeldBody.ts"
import type { Replicas } from "./Replicas.ts"
import { headerValue, lengthOf } from "./WireHeaders.ts"

export type AppFailure = AppThrew | AppOverLimit | BundleUnusable | AppRuntimeUnavailable
const isFailure = (error: unknown): error is AppFailure =>
  error instanceof AppThrew ||
  error instanceof AppOverLimit ||
  error instanceof BundleUnusable ||
  error instanceof AppRuntimeUnavailable

const notFound: AppResponse = {
  status: 404,
  headers: [["content-type", "text/plain; charset=utf-8"]],
  body: new HeldBody(Buffer.from("Not found\n"))
}

export class AppCall {
  private dropped = false
  private drop: () => void = () => undefined

  abort(): void {
    this.dropped = true
    this.drop()
  }

  async run(
    replicas: Replicas,
    request: AppRequest,
    done: (exit: Exit.Exit<AppResponse, AppFailure>) => void
  ): Promise<void> {
    try {
      const input = await this.withHeldBody(request)
      if (this.dropped) return
      const host = await replicas.acquire((leave) => (this.drop = leave))
      if (host === null)
        return done(Exit.succeed({ ...notFound, body: request.method === "HEAD" ? null : notFound.body }))
      if (this.dropped) return replicas.release(host)
      const exchange = new Exchange(host, replicas.version.id, input, {
        answered: (response) => done(Exit.succeed(response)),
        failed: (failure) => done(Exit.fail(failure)),
        finished: () => replicas.release(host)
      })
      this.drop = () => exchange.abort()
    } catch (error) {
      done(isFailure(error) ? Exit.fail(error) : Exit.die(error))
    }
  }

  private async withHeldBody(request: AppRequest): Promise<AppRequest> {
    if (request.body === null)
      return { ...request, headers: request.headers.filter(([name]) => name.toLowerCase() !== "content-length") }
    const length = lengthOf(headerValue(request.headers, "content-length"))
    if (length === undefined || length > Limits.appHeldBodyBytes) return request
    const bytes = await hold(request.body, length)
    if (bytes === null) throw new AppRuntimeUnavailable({ reason: "the request's body broke off" })
    return { ...request, body: new HeldBody(bytes) }
  }
}
