/** Processes that wait for an app, started ahead, and the bound on all processes. */
import { AppOverLimit, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../../LocalLimits.ts"
import { HostProcess, type HostSetting } from "./HostProcess.ts"

/** The processes that are idle since a time (as `performance.now`), or for longer. */
export interface IdleProcesses {
  readonly count: (sinceMs: number) => number
  /** Kills the one that is idle longest, and answers whether there was one. */
  readonly evict: (sinceMs: number) => boolean
}

/**
 * Where one more process has its place: a free one, that of one that rests, or none. An app that has a process already
 * leaves `LocalLimits.appProcessesKept` of them, free or at rest, for those that have none.
 */
export const placeFor = ({
  free,
  more,
  processes,
  resting
}: {
  readonly processes: number
  readonly free: number
  readonly resting: number
  readonly more: boolean
}): "free" | "idle" | null => {
  const kept = more ? Math.ceil(processes * LocalLimits.appProcessesKept) : 0
  if (free > kept) return "free"
  return resting > 0 && (!more || free + resting > kept) ? "idle" : null
}

/** Hands out each process once. Fails with `AppOverLimit` (`busy`) where all are in use. */
export class HostPool {
  private readonly setting: HostSetting
  private readonly warm: Array<Promise<HostProcess>> = []
  private readonly all = new Set<HostProcess>()
  private readonly idle: IdleProcesses
  private starting = 0
  private closed = false
  private refilling: NodeJS.Timeout | null = null

  constructor(setting: HostSetting, idle: IdleProcesses) {
    this.setting = setting
    this.idle = idle
    setting.meters.appProcesses.from(() => [
      { labels: ["live"], value: this.inUse },
      { labels: ["warm"], value: this.warm.length }
    ])
  }

  /**
   * A fresh process. `more`: for an app that has one already; hot apps together leave room for those that have none, and
   * take from others only what nobody has asked for lately.
   * Fails with `AppOverLimit` ("busy") when every process there may be serves a request.
   */
  async take(version: AppVersion, more: boolean): Promise<HostProcess> {
    const { processes } = this.setting
    const sinceMs = more ? performance.now() - LocalLimits.appRestMs : Number.POSITIVE_INFINITY
    const place = placeFor({ processes, free: processes - this.inUse, resting: this.idle.count(sinceMs), more })
    if (place === null || (place === "idle" && !this.idle.evict(sinceMs)))
      throw new AppOverLimit({ version: version.id, limit: "busy", retryAfterSeconds: 1 })
    // One that was started ahead and failed is not this visitor's: theirs is started now.
    const host = await (this.warm.shift()?.catch(() => this.launch()) ?? this.launch())
    return host.alive ? host : this.take(version, more)
  }

  /** Fills up a little later: what starts a process would take its time from the app that a visitor waits for now. */
  refillSoon(): void {
    this.refilling ??= setTimeout(() => {
      this.refilling = null
      this.refill()
    }, LocalLimits.appRefillAfterMs).unref()
  }

  /** Starts one, and when it waits the next, until as many wait as should. */
  refill(): void {
    if (this.closed || this.warm.length >= LocalLimits.appWarmHosts) return
    const host = this.launch()
    this.warm.push(host)
    const drop = () => {
      const at = this.warm.indexOf(host)
      if (at >= 0) void this.warm.splice(at, 1)
    }
    host.then((one) => {
      void one.exited.then(drop)
      this.refillSoon()
    }, drop)
  }

  /** Kills all, and resolves when none is left. */
  async close(): Promise<void> {
    this.closed = true
    await Promise.allSettled(this.warm)
    const ends = [...this.all].map((host) => {
      host.kill()
      return host.exited
    })
    await Promise.all(ends)
  }

  private get inUse(): number {
    return this.all.size + this.starting - this.warm.length
  }

  private async launch(): Promise<HostProcess> {
    this.starting += 1
    try {
      const host = await HostProcess.start(this.setting)
      this.all.add(host)
      void host.exited.then(() => this.all.delete(host))
      if (this.closed) host.kill()
      return host
    } finally {
      this.starting -= 1
    }
  }
}
