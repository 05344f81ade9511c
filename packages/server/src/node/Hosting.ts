/** What serves apps: their hosts, their files, and the processes that run them. */
import { join } from "node:path"
import * as WorkerdAppRuntime from "@pawl/adapters-local/runtime/WorkerdAppRuntime"
import * as PointerRows from "@pawl/core/app/PointerRows"
import * as Assets from "@pawl/router/Assets"
import * as PointerCache from "@pawl/router/PointerCache"
import * as Router from "@pawl/router/Router"
import { Layer } from "effect"
import * as PointerPush from "./PointerPush.ts"
import type { Options } from "./Options.ts"
import type { ProcessParts } from "./ProcessParts.ts"

/** Where sockets of this process stand, and what goes with them. */
export const runFolder = ({ data }: Pick<Options, "data">): string => join(data, "run")

/** Over the stores and the objects; which releases may be served is said by what it is provided with. */
export const hosting = ({ addresses, options, telemetry }: ProcessParts) =>
  PointerPush.layer.pipe(
    Layer.provideMerge(
      Router.layer({
        apiOrigin: addresses.apiOrigin,
        trustProxy: options.trustProxy,
        credentials: options.metricsToken === null ? [] : [options.metricsToken]
      })
    ),
    Layer.provideMerge(telemetry.runtime),
    Layer.provideMerge(
      WorkerdAppRuntime.layer({
        folder: runFolder(options),
        processes: options.appProcesses,
        started: telemetry.appStarted
      })
    ),
    Layer.provideMerge(Assets.layer),
    Layer.provideMerge(PointerCache.layer.pipe(Layer.provideMerge(PointerRows.layer)))
  )
