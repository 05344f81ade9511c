/** What an app's `env` calls, and what is told of its calls: all its own, as the script that loads it was told. */
import { WorkerEntrypoint } from "cloudflare:workers"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { AssetServer } from "@pawl/core/app/AssetServer"
import type { Bucket } from "@pawl/adapters-cloudflare/objects/Bucket"
import * as R2ObjectStore from "@pawl/adapters-cloudflare/objects/R2ObjectStore"
import { type DataCall, fetchAsset } from "@pawl/adapters-cloudflare/runtime/AppBindings"
import type { Printed } from "@pawl/adapters-cloudflare/runtime/PrintedLines"
import { type TailItem, tailLines } from "@pawl/adapters-cloudflare/runtime/TailLines"
import * as Assets from "@pawl/router/Assets"
import { Effect, Layer } from "effect"
import type { CanonicalForRouters } from "./Bindings.ts"

/** `env.DATA`. A refusal is thrown as an `Error` with its words. A script names its own below this one. */
export abstract class AppStoreCalls<Bindings> extends WorkerEntrypoint<Bindings, AppVersion> {
  /** Answers a call to the store of the version that it was made for. */
  protected abstract call(call: DataCall): Promise<unknown>

  get(key: unknown) {
    return this.call({ op: "get", key })
  }

  put(key: unknown, value: unknown) {
    return this.call({ op: "put", key, value })
  }

  delete(key: unknown) {
    return this.call({ op: "delete", key })
  }

  list(options?: unknown) {
    return this.call({ op: "list", options })
  }
}

/** `env.DATA` for a script that is bound to the one that holds the Projects. */
export class RoutedAppStore extends AppStoreCalls<{ readonly CANONICAL: Pick<CanonicalForRouters, "appData"> }> {
  protected override call(call: DataCall): Promise<unknown> {
    const { channel, incarnation, project } = this.ctx.props
    return this.env.CANONICAL.appData(project, channel, incarnation, call)
  }
}

/** Told of each call of an app when it has ended. A script says below it where the lines go. */
export abstract class AppTailCalls<Bindings> extends WorkerEntrypoint<Bindings, AppVersion> {
  protected abstract keep(printed: Printed): Promise<void>

  async tail(items: unknown): Promise<void> {
    const printed = tailLines(items as ReadonlyArray<TailItem>)
    if (printed.lines.length > 0) await this.keep(printed)
  }
}

/** For a script that is bound to the one that holds the Projects. */
export class RoutedAppTail extends AppTailCalls<{ readonly CANONICAL: Pick<CanonicalForRouters, "appPrinted"> }> {
  protected override keep(printed: Printed): Promise<void> {
    return this.env.CANONICAL.appPrinted(this.ctx.props, printed)
  }
}

/** `env.ASSETS`. */
export class AppFiles extends WorkerEntrypoint<{ readonly BUCKET: Bucket }, AppVersion> {
  override fetch(request: Request): Promise<Response> {
    const files = Layer.provide(Assets.layer, R2ObjectStore.layer(this.env.BUCKET))
    return Effect.runPromise(
      Effect.flatMap(AssetServer, (assets) => Effect.promise(() => fetchAsset(assets, this.ctx.props, request))).pipe(
        Effect.provide(files)
      )
    )
  }
}
