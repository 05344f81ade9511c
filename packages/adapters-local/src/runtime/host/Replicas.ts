/** The processes of one app version and the requests that wait for one. */
import { AppOverLimit, AppRuntimeUnavailable, AppThrew, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../../LocalLimits.ts"
import { CrashBudget } from "./CrashBudget.ts"
import type { UploadRoom } from "../wire/HeldUpload.ts"
import type { HostProcess } from "./HostProcess.ts"

/** How a process is started. */
export interface StartManner {
  /** Beside one that the app has. */
  readonly more: boolean
  /** Every other process goes first: the app has deaths held against it. */
  readonly low: boolean
}

/** A process for a version, or null when the app has none to start: it is of assets alone. */
export type StartHost = (version: AppVersion, manner: StartManner) => Promise<HostProcess | null>

const appStopped = () => new AppRuntimeUnavailable({ reason: "the app was stopped" })

/** A request that a process is at. */
interface Waited {
  readonly waitedMs: number
  readonly detach: () => void
}

/** Somebody who wants a process for one request, and is told once. */
export interface Waiter {
  /** A process, or null for an app of assets alone. */
  give(host: HostProcess | null): void
  refuse(reason: unknown): void
}

interface Queued {
  readonly waiter: Waiter
  readonly sinceMs: number
}

/** Starts more processes while requests wait, within the app's and the pool's bounds. */
export class Replicas {
  readonly version: AppVersion
  /** Of all apps together. */
  readonly uploads: UploadRoom
  /** Processes that serve nothing now, the one used last at the end. */
  readonly idle: Array<HostProcess> = []
  /** Requests that processes are at. */
  readonly exchanges = new Set<Waited>()
  /** Requests that hold what comes of their body, and ask for a process later. */
  holding = 0
  private readonly hosts = new Set<HostProcess>()
  private readonly queue: Array<Queued> = []
  private readonly crashes = new CrashBudget()
  private readonly start: StartHost
  private starting = 0
  private stopped = false
  private assetsOnly = false
  /** What the app threw when it was last started, if that is how it ended. */
  private stillborn: AppThrew | null = null
  private timer: NodeJS.Timeout | null = null
  /** Since when somebody has been waiting without a break. */
  private backlogSinceMs = 0

  constructor(version: AppVersion, start: StartHost, uploads: UploadRoom) {
    this.uploads = uploads
    this.version = version
    this.start = start
  }

  /** A process that is free at this moment; null when there is none. */
  private takeIdle(): HostProcess | null {
    for (let idle = this.idle.pop(); idle !== undefined; idle = this.idle.pop()) {
      if (this.isDue(idle)) this.retire(idle)
      else if (idle.usable) return idle
    }
    return null
  }

  /** Asks for a process for one request. Most find one: they are told before this ends. */
  ask(waiter: Waiter): void {
    const idle = this.takeIdle()
    if (idle !== null) return waiter.give(idle)
    if (this.stopped) return waiter.refuse(appStopped())
    if (this.assetsOnly) return waiter.give(null)
    if (this.queue.length >= LocalLimits.appQueue)
      return waiter.refuse(this.overLimit("busy", LocalLimits.appBusyRetryMs))
    const nowMs = performance.now()
    const none = this.hosts.size + this.starting === 0
    const waitMs = none ? this.crashes.waitMs(nowMs) : 0
    if (waitMs > 0) return waiter.refuse(this.resting(waitMs))
    if (this.queue.push({ waiter, sinceMs: nowMs }) === 1) this.backlogSinceMs = nowMs
    if (none) void this.grow()
    this.schedule()
  }

  /** The visitor left before there was a process. False when the waiter does not wait. */
  leave(waiter: Waiter): boolean {
    const at = this.queue.findIndex((one) => one.waiter === waiter)
    if (at >= 0) this.queue.splice(at, 1)
    return at >= 0
  }

  /** The request of a process is over. */
  release(host: HostProcess): void {
    // One that is not usable is about to be gone, and `died` sees to who waits.
    if (!host.usable || this.stopped) return
    if (this.isDue(host)) return this.retire(host)
    host.idleSinceMs = performance.now()
    const next = this.queue.shift()
    if (next === undefined) this.idle.push(host)
    else next.waiter.give(host)
  }

  /** Whether it makes way for a fresh one: it holds much memory, or goes last though nothing is held against its app now. */
  private isDue(host: HostProcess): boolean {
    return host.heavy || (host.low && this.crashes.clean(performance.now()))
  }

  /**
   * Ends a process that is due. One that holds much memory ends before that would end a request: V8 is slow to see what bodies take. One that
   * came to it within few requests counts as one that died, or each request could take a process.
   */
  private retire(host: HostProcess): void {
    if (host.heavy && host.served < LocalLimits.appHeavyRequests) this.crashes.died(performance.now())
    host.kill()
  }

  /** Kills the process that is idle longest, when it is so since `beforeMs`. */
  evictIdle(beforeMs: number): boolean {
    const oldest = this.idle[0]
    if (oldest === undefined || oldest.idleSinceMs > beforeMs) return false
    this.idle.shift()
    this.hosts.delete(oldest)
    oldest.kill()
    return true
  }

  /** Whether forgetting this version loses nothing. */
  get forgettable(): boolean {
    return (
      this.hosts.size + this.starting + this.queue.length + this.holding === 0 && this.crashes.clean(performance.now())
    )
  }

  /** Kills every process and turns away who waits. */
  stop(): void {
    this.stopped = true
    for (const host of this.hosts) host.kill()
    this.turnAway(appStopped())
    if (this.timer !== null) clearTimeout(this.timer)
  }

  private async grow(): Promise<void> {
    const more = this.hosts.size + this.starting > 0
    const low = !this.crashes.clean(performance.now())
    this.starting += 1
    try {
      const host = await this.start(this.version, { more, low })
      this.starting -= 1
      if (host === null) {
        this.assetsOnly = true
        for (const { waiter } of this.queue.splice(0)) waiter.give(null)
        return
      }
      this.hosts.add(host)
      host.onExit = () => this.died(host)
      if (!host.alive) this.died(host)
      else if (this.stopped) host.kill()
      else this.release(host)
      this.stillborn = null
    } catch (error) {
      this.starting -= 1
      // An app that cannot start has died as one that was running: each try takes a process.
      this.stillborn = error instanceof AppThrew ? error : null
      if (error instanceof AppThrew || (error instanceof AppOverLimit && error.limit !== "busy"))
        this.crashes.died(performance.now())
      if (this.hosts.size + this.starting === 0) this.turnAway(error)
    }
  }

  private died(host: HostProcess): void {
    this.hosts.delete(host)
    const at = this.idle.indexOf(host)
    if (at >= 0) this.idle.splice(at, 1)
    const nowMs = performance.now()
    if (host.crashed) this.crashes.died(nowMs)
    if (this.stopped || this.queue.length === 0 || this.hosts.size + this.starting > 0) return
    const waitMs = this.crashes.waitMs(nowMs)
    if (waitMs > 0) this.turnAway(this.resting(waitMs))
    else void this.grow()
  }

  /** Looks after the queue once it has stood for a while: one replica more, and no waiting without end. */
  private schedule(): void {
    if (this.timer !== null) return
    this.timer = setTimeout(() => {
      this.timer = null
      const nowMs = performance.now()
      while (this.queue[0] !== undefined && nowMs - this.queue[0].sinceMs >= LocalLimits.appQueueWaitMs)
        this.queue.shift()?.waiter.refuse(this.overLimit("busy", LocalLimits.appBusyRetryMs))
      if (this.queue.length === 0 || this.stopped) return
      for (const one of this.exchanges) if (one.waitedMs >= LocalLimits.appVisitorMs) one.detach()
      const hot =
        this.hosts.size > 0 && this.starting === 0 && nowMs - this.backlogSinceMs >= LocalLimits.appReplicaAfterMs
      if (hot && this.hosts.size < LocalLimits.appReplicas && this.crashes.waitMs(nowMs) === 0) {
        this.backlogSinceMs = nowMs
        void this.grow()
      }
      this.schedule()
    }, LocalLimits.appReplicaAfterMs)
  }

  private turnAway(reason: unknown): void {
    for (const { waiter } of this.queue.splice(0)) waiter.refuse(reason)
  }

  /** What is answered while an app may not be started: what kept it from starting, or that it died too often. */
  private resting(waitMs: number): AppThrew | AppOverLimit {
    return this.stillborn ?? this.overLimit("crash_loop", waitMs)
  }

  busy(): AppOverLimit {
    return this.overLimit("busy", LocalLimits.appBusyRetryMs)
  }

  private overLimit(limit: "busy" | "crash_loop", waitMs: number): AppOverLimit {
    return new AppOverLimit({
      version: this.version.id,
      limit,
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000))
    })
  }
}
