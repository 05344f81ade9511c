/** How often an app may die before it has to wait: a small store of starts that fills up again with time. */
import { LocalLimits } from "../../LocalLimits.ts"

/**
 * Bounded by `LocalLimits.appCrashBurst`; one death is forgiven each `appCrashRefillMs`. Times are of one monotonic
 * clock.
 */
export class CrashBudget {
  private deaths = 0
  private countedAtMs = 0

  /** Notes that a process of the app died of its own doing. */
  died(nowMs: number): void {
    this.forget(nowMs)
    if (this.deaths === 0) this.countedAtMs = nowMs
    this.deaths += 1
  }

  /** 0 when the app may start now, else the milliseconds until it may. */
  waitMs(nowMs: number): number {
    this.forget(nowMs)
    if (this.deaths < LocalLimits.appCrashBurst) return 0
    return this.countedAtMs + (this.deaths - LocalLimits.appCrashBurst + 1) * LocalLimits.appCrashRefillMs - nowMs
  }

  /** Whether nothing is held against the app. */
  clean(nowMs: number): boolean {
    this.forget(nowMs)
    return this.deaths === 0
  }

  private forget(nowMs: number): void {
    const forgiven = Math.min(this.deaths, Math.floor((nowMs - this.countedAtMs) / LocalLimits.appCrashRefillMs))
    this.deaths -= forgiven
    this.countedAtMs += forgiven * LocalLimits.appCrashRefillMs
  }
}
