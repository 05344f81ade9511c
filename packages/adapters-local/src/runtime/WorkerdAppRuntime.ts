/** App versions in workerd: a process for each, shut in, watched and bounded. */
import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { AppData } from "@pawl/core/app/AppData"
import { type AppResponse, AppRuntime, AppRuntimeUnavailable, type AppVersion } from "@pawl/core/app/AppRuntime"
import { AppLogs } from "@pawl/core/app/AppLogs"
import { AssetServer } from "@pawl/core/app/AssetServer"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { LocalLimits } from "../LocalLimits.ts"
import { processFolder } from "../ProcessFolder.ts"
import { Meters } from "@pawl/core/telemetry/Meters"
import { describe } from "@pawl/core/primitives/Words"
import { Cause, Clock, Effect, Exit, Layer, Option } from "effect"
import { AppCall, type AppFailure } from "./AppCall.ts"
import { AppConsole } from "./console/AppConsole.ts"
import { SourceStacks } from "./stacks/SourceStacks.ts"
import { AppVersions } from "./AppVersions.ts"
import { BodyRoom } from "./wire/AnswerBody.ts"
import type { HostSetting, RequestBounds } from "./host/HostProcess.ts"
import { compatibilityFlags } from "../builder/settings/SettingsFields.ts"
import { loadBundle } from "@pawl/core/app/LoadedBundle"
import { confine, everyIsolation, type RuntimeIsolation, writeShared } from "./host/RuntimeIsolation.ts"
import { Watchdog } from "./host/Watchdog.ts"
import { Spawner } from "../spawner/Spawner.ts"

/** How apps are run on this machine. */
export interface Options {
  /** Where sockets and the host worker's files live, mode 0700. What earlier runs left there is swept. */
  readonly folder: string
  /** The isolations that may be used, for those who would rather have no apps than bare ones. Default: all. */
  readonly isolations?: ReadonlyArray<RuntimeIsolation["name"]>
  /** How many processes of apps there may be at once. Default: `LocalLimits.appProcesses`. */
  readonly processes?: number
  /** What one request may take. Default: the `app…` limits of `LocalLimits`. */
  readonly bounds?: Partial<RequestBounds>
  /** Told of each cold start, and between which times of `performance.now` it was. */
  readonly started?: HostSetting["started"]
}

const service = (versions: AppVersions, console: AppConsole): AppRuntime["Service"] => ({
  fetch: (version, request) =>
    Effect.callback<AppResponse, AppFailure>((resume) => {
      const call = new AppCall(versions.of(version), request, (exit) => {
        if (Exit.isFailure(exit)) console.failed(version, request, Cause.squash(exit.cause))
        resume(exit)
      })
      call.run()
      return Effect.sync(() => call.abort())
    }),
  stop: (versionId) => Effect.sync(() => versions.stop(versionId))
})

const unavailable = (error: unknown) =>
  new AppRuntimeUnavailable({ reason: error instanceof Error ? error.message : String(error) })

/** Folder, spawner, isolation and watchdog, in the order in which they must be undone. */
const acquireSetting = Effect.fnUntraced(function* (
  options: Options,
  bindings: HostSetting["bindings"],
  console: AppConsole
) {
  if (!existsSync("/proc/self/schedstat"))
    return yield* new AppRuntimeUnavailable({
      reason: "apps need Linux: CPU time is read from /proc/<pid>/schedstat"
    })
  const { folder, reach } = yield* processFolder(options.folder).pipe(
    Effect.mapError((reason) => new AppRuntimeUnavailable({ reason }))
  )
  // It comes to life while the isolations are tried.
  const spawner = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => Spawner.open(reach), catch: unavailable }),
    (one) => Effect.promise(() => one.close())
  )
  const shared = join(folder, "shared")
  const confinement = yield* Effect.tryPromise({
    try: async () => {
      await mkdir(shared, { mode: 0o700 })
      await writeShared(shared)
      return confine(shared, options.isolations ?? everyIsolation)
    },
    catch: unavailable
  })
  const processes = options.processes ?? LocalLimits.appProcesses
  const watchdog = yield* Effect.acquireRelease(
    Effect.sync(() => new Watchdog(processes + 2 * LocalLimits.appWarmHosts + LocalLimits.appReplicas)),
    (one) => Effect.promise(() => one.close())
  )
  const meters = yield* Meters
  const started: HostSetting["started"] = (version, beganMs, endedMs) => {
    meters.coldStarts.observe((endedMs - beganMs) / 1000)
    options.started?.(version, beganMs, endedMs)
  }
  const bounds: RequestBounds = {
    firstCpuMs: LocalLimits.appFirstCpuMs,
    cpuMs: LocalLimits.appCpuMs,
    wallMs: LocalLimits.appWallMs,
    stallMs: LocalLimits.appStallMs,
    responseBytes: LocalLimits.appResponseBytes,
    ...options.bounds
  }
  const room = new BodyRoom()
  return {
    confinement,
    spawner,
    watchdog,
    bindings,
    console,
    shared,
    folder,
    reach,
    processes,
    bounds,
    room,
    meters,
    started
  }
})

/** The console of the apps; what waits is stored at the end, after the processes are gone. */
const acquireConsole = Effect.gen(function* () {
  const logs = yield* AppLogs
  const clock = yield* Clock.Clock
  const runPromise = Effect.runPromiseWith(yield* Effect.context<ObjectStore>())
  const stacks = yield* Effect.acquireRelease(
    Effect.sync(() => new SourceStacks(runPromise)),
    (one) => Effect.sync(() => one.close())
  )
  return yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new AppConsole(
          (project, lines) => runPromise(Effect.timeout(logs.append(project, lines), LocalLimits.appLogStoreMs)),
          stacks.place,
          () => clock.currentTimeMillisUnsafe()
        )
    ),
    (one) => Effect.promise(() => one.close())
  )
})

/**
 * The runtime. Closing the layer kills every process it started; they also die with this process.
 * Fails with `AppRuntimeUnavailable` where workerd cannot run in any isolation asked for.
 */
export const layer = (
  options: Options
): Layer.Layer<AppRuntime, AppRuntimeUnavailable, AppData | AppLogs | AssetServer | ObjectStore> =>
  Layer.effect(
    AppRuntime,
    Effect.gen(function* () {
      const context = yield* Effect.context<ObjectStore>()
      const bindings = { data: yield* AppData, assets: yield* AssetServer, context }
      const setting = yield* acquireSetting(options, bindings, yield* acquireConsole)
      const { isolation } = setting.confinement
      if (isolation.remedy === null)
        yield* Effect.logInfo("apps run in isolation", { isolation: isolation.name, version: isolation.version })
      else yield* Effect.logWarning("apps run without isolation from this machine", { remedy: isolation.remedy })
      const load = async (version: AppVersion) => {
        const exit = await Effect.runPromiseExitWith(context)(loadBundle(version, compatibilityFlags))
        if (Exit.isSuccess(exit)) return exit.value
        throw Option.getOrElse(Cause.findErrorOption(exit.cause), () => Cause.squash(exit.cause))
      }
      const versions = yield* Effect.acquireRelease(
        Effect.sync(() => new AppVersions(setting, load)),
        (one) => Effect.promise(() => one.close())
      )
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.delay(
            // Nobody waits for this fiber: a defect of one round would end it, and be told to nobody.
            Effect.sync(() => versions.sweep()).pipe(
              Effect.catchDefect((defect) => Effect.logError("idle apps were not stopped", describe(defect)))
            ),
            LocalLimits.appIdleMs / 10
          )
        )
      )
      return service(versions, setting.console)
    })
  )

export { describeRuntimeIsolation } from "./host/RuntimeIsolation.ts"
