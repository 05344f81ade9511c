/** The versions that run, and which of them must go when room is needed. */
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../LocalLimits.ts"
import { hostConfig } from "./host/HostConfig.ts"
import { UploadRoom } from "./wire/HeldUpload.ts"
import { HostPool } from "./host/HostPool.ts"
import type { HostProcess, HostSetting } from "./host/HostProcess.ts"
import type { LoadedBundle } from "@pawl/core/app/LoadedBundle"
import { Replicas, type StartManner } from "./host/Replicas.ts"

/** One version answers many requests: what it is kept by is made once. */
const keys = new WeakMap<AppVersion, string>()

/** Every fact of a version is part of what its processes are kept by: no other bundle or data store is ever served for it. */
const keyOf = (version: AppVersion): string => {
  const before = keys.get(version)
  if (before !== undefined) return before
  const { bundleDigest, bundleKey, channel, id, incarnation, project } = version
  const key = JSON.stringify([id, project, channel, bundleKey, bundleDigest, incarnation ?? null])
  keys.set(version, key)
  return key
}

/** `of` answers the one place of a version's processes and waiting requests, made when it is first asked for. */
export class AppVersions {
  private readonly byKey = new Map<string, Replicas>()
  private readonly uploads = new UploadRoom()
  private readonly pool: HostPool
  private readonly load: (version: AppVersion) => Promise<LoadedBundle>
  private readonly started: HostSetting["started"]

  constructor(setting: HostSetting, load: (version: AppVersion) => Promise<LoadedBundle>) {
    this.load = load
    this.started = setting.started
    this.pool = new HostPool(setting, {
      count: (sinceMs) => this.idleSince(sinceMs).length,
      evict: (sinceMs) => this.evictOldest(sinceMs)
    })
    this.pool.refill()
  }

  of(version: AppVersion): Replicas {
    const key = keyOf(version)
    const known = this.byKey.get(key)
    if (known !== undefined) return known
    if (this.byKey.size >= LocalLimits.appVersionsKnown) this.sweep()
    const made = new Replicas(version, (one, manner) => this.start(one, manner), this.uploads)
    this.byKey.set(key, made)
    return made
  }

  stop(versionId: string): void {
    for (const [key, replicas] of this.byKey)
      if (replicas.version.id === versionId) {
        this.byKey.delete(key)
        replicas.stop()
      }
  }

  /** Ends processes that nobody asked for lately, and forgets versions that have none. */
  sweep(): void {
    const beforeMs = performance.now() - LocalLimits.appIdleMs
    for (const [key, replicas] of this.byKey) {
      while (replicas.evictIdle(beforeMs));
      if (replicas.forgettable) this.byKey.delete(key)
    }
  }

  close(): Promise<void> {
    for (const replicas of this.byKey.values()) replicas.stop()
    return this.pool.close()
  }

  private async start(version: AppVersion, { low, more }: StartManner): Promise<HostProcess | null> {
    const loaded = await this.load(version)
    const { mainModule } = loaded.bundle
    if (mainModule === null) return null
    const beganMs = performance.now()
    const config = hostConfig(loaded, mainModule)
    const host = await this.pool.take(version, more)
    await host.assign(version, config, low).finally(() => this.pool.refillSoon())
    this.started(version, beganMs, performance.now())
    return host
  }

  private idleSince(sinceMs: number): ReadonlyArray<HostProcess> {
    return [...this.byKey.values()].flatMap(({ idle }) => idle.filter((one) => one.idleSinceMs <= sinceMs))
  }

  private evictOldest(sinceMs: number): boolean {
    const candidates = [...this.byKey.values()].filter((one) => one.idle.length > 0)
    candidates.sort((a, b) => (a.idle[0]?.idleSinceMs ?? 0) - (b.idle[0]?.idleSinceMs ?? 0))
    return candidates[0]?.evictIdle(sinceMs) ?? false
  }
}
