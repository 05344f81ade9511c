/** One workerd process: started before it knows its app, given one, watched, and killed. Never used for a second app. */
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, readdirSync, writeFileSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import type { Server } from "node:http"
import { constants, getPriority, setPriority } from "node:os"
import { join } from "node:path"
import { AppOverLimit, AppRuntimeUnavailable, AppThrew, type AppVersion } from "@pawl/core/app/AppRuntime"
import { LocalLimits } from "../../LocalLimits.ts"
import type { MeterSet } from "@pawl/core/telemetry/Meters"
import type { SpawnedProcess } from "../../spawner/SpawnedProcess.ts"
import type { Spawner } from "../../spawner/Spawner.ts"
import type { Ended } from "../../spawner/Starter.ts"
import type { BodyRoom } from "../wire/AnswerBody.ts"
import { AppConnection } from "../wire/AppConnection.ts"
import type { AppConsole } from "../console/AppConsole.ts"
import { type Bindings, listenForCalls } from "../BindingServer.ts"
import { hostArguments } from "./HostConfig.ts"
import { listening, NotListening, unavailable, workerdOf } from "./HostStart.ts"
import { cleanEnvironment, type Confinement } from "./RuntimeIsolation.ts"
import type { Watch, Watchdog } from "./Watchdog.ts"

/** What one request may take of a process, beside memory and calls. */
export interface RequestBounds {
  /** CPU time: of the first request of a process, which compiles what it calls, and of any other. */
  readonly firstCpuMs: number
  readonly cpuMs: number
  /** From its process to the last byte of its answer. */
  readonly wallMs: number
  /** How long a visitor may keep the process waiting. */
  readonly stallMs: number
  /** The body of its answer. */
  readonly responseBytes: number
}

/** What all processes of a runtime share. */
export interface HostSetting {
  readonly confinement: Confinement
  readonly spawner: Spawner
  readonly watchdog: Watchdog
  readonly bindings: Bindings
  readonly console: AppConsole
  /** The folder with the host worker's files, which every process sees. */
  readonly shared: string
  /** Where process folders are made, and the same by a path short enough for a socket's name. */
  readonly folder: string
  readonly reach: string
  /** How many processes there may be at once. */
  readonly processes: number
  readonly bounds: RequestBounds
  readonly room: BodyRoom
  readonly meters: MeterSet
  /** Told of each process that has been given its app, and between which times of `performance.now` that was. */
  readonly started: (version: AppVersion, beganMs: number, endedMs: number) => void
}

interface Started {
  readonly child: SpawnedProcess
  /** Of workerd itself, inside its wrappers. */
  readonly pid: number
  readonly said: () => string
}

/** What a process says on standard error: kept up to a bound, read on for ever, so that a full pipe never holds it up. */
const wordsOf = (child: SpawnedProcess): (() => string) => {
  let said = ""
  child.streams[2]?.on("data", (chunk: Buffer) => {
    if (said.length < 4000) said += chunk.toString("utf8")
  })
  return () => said
}

/** `start` makes one; it is given one app version, then serves one request at a time until it is killed. */
export class HostProcess {
  readonly connection: AppConnection
  readonly exited: Promise<void>
  /** The first request has the budget of a cold start. */
  cold = true
  alive = true
  idleSinceMs = 0
  /** Every other process goes first, for as long as this one lives: who is not root cannot take that back. */
  low = false
  /** Requests that it has served. */
  served = 0
  /** Called when the app makes one call too many, to stop the request under way. */
  onTooManyCalls: (() => void) | null = null
  onExit: (() => void) | null = null

  private version: AppVersion | null = null
  private calls = 0
  private stopped = false
  private verdict: "cpu" | "memory" | null = null
  private readonly setting: HostSetting
  private readonly child: SpawnedProcess
  private readonly pid: number
  private readonly watch: Watch
  private readonly said: () => string

  private constructor(setting: HostSetting, name: string, server: Server, started: Started) {
    const { child, pid, said } = started
    this.setting = setting
    this.child = child
    this.pid = pid
    this.said = said
    this.connection = new AppConnection(join(setting.reach, name, "app.sock"))
    try {
      // When the machine runs out of memory, an app goes first.
      writeFileSync(`/proc/${pid}/oom_score_adj`, "1000")
    } catch {
      // Not ours to say on this machine; the watchdog's bound stands.
    }
    this.watch = setting.watchdog.watch(pid)
    this.exited = child.ended.then((ended) => {
      this.died(ended)
      server.closeAllConnections()
      server.close()
      this.connection.gone()
      void rm(join(setting.folder, name), { recursive: true, force: true }).catch(() => undefined)
      this.onExit?.()
    })
  }

  static async start(setting: HostSetting): Promise<HostProcess> {
    const name = randomBytes(6).toString("hex")
    const { confinement } = setting
    const [own, near] = [join(setting.folder, name), join(setting.reach, name)]
    await mkdir(own, { mode: 0o700 })
    const caller: { host: HostProcess | null } = { host: null }
    const server = await listenForCalls(join(near, "supervisor.sock"), setting.bindings, {
      version: () => caller.host?.version ?? null,
      countCall: () => caller.host?.countCall() ?? false
    })
    const [file = "", ...args] = confinement.command(setting.shared, own, hostArguments(confinement.socketFolder(near)))
    let child: SpawnedProcess | undefined
    try {
      if (confinement.uid !== null)
        for (const path of [own, join(own, "supervisor.sock")]) chownSync(path, confinement.uid, confinement.uid)
      chmodSync(join(own, "supervisor.sock"), 0o600)
      // Its configuration, its output, its errors, and where it says that it listens.
      // We may die before it has asked to die with us: then it finds the end of its configuration, and ends by itself.
      child = await setting.spawner.start({ file, args, cwd: "/", env: cleanEnvironment, streams: 4 })
      setting.console.read(child.streams[1] ?? null, () => caller.host?.version ?? null)
      const said = wordsOf(child)
      const pid = await workerdOf(child, said)
      caller.host = new HostProcess(setting, name, server, { child, pid, said })
      return caller.host
    } catch (error) {
      child?.kill()
      server.close()
      await rm(own, { recursive: true, force: true }).catch(() => undefined)
      throw error instanceof AppRuntimeUnavailable
        ? error
        : unavailable(`a process cannot be started: ${String(error)}`)
    }
  }

  /**
   * Gives the process its app, once, and resolves when it listens. `low`: every other process goes first. Fails with `AppThrew` for an app that cannot start, and
   * with `AppOverLimit` for one that goes over a bound before it does.
   */
  async assign(version: AppVersion, config: Uint8Array, low: boolean): Promise<void> {
    this.version = version
    if (low) this.lower()
    this.watch.begin(LocalLimits.appColdCpuMs)
    // A process that is gone does not take its configuration; its exit tells of that.
    this.child.streams[0]?.end(config)
    try {
      await listening(this.child, this.said)
      this.watch.end()
    } catch (error) {
      if (!(error instanceof NotListening)) {
        this.kill()
        throw error
      }
      throw error.said === null
        ? this.causeOfDeath(version.id)
        : new AppThrew({ version: version.id, reason: error.said })
    }
  }

  get bounds(): RequestBounds {
    return this.setting.bounds
  }

  /** What the bodies of answers may keep in memory. */
  get room(): BodyRoom {
    return this.setting.room
  }

  /** A request starts: its CPU time and its calls count from here. */
  begin(): void {
    this.calls = 0
    this.watch.begin(this.cold ? this.bounds.firstCpuMs : this.bounds.cpuMs)
  }

  end(): void {
    this.cold = false
    this.served += 1
    this.onTooManyCalls = null
    this.watch.end()
  }

  /** What a request that was under way when the process died is told. */
  causeOfDeath(versionId: string): AppThrew | AppOverLimit | AppRuntimeUnavailable {
    const verdict = this.alive ? this.watch.verdict() : this.verdict
    if (verdict !== null) return new AppOverLimit({ version: versionId, limit: verdict, retryAfterSeconds: 1 })
    if (this.stopped) return unavailable("the app was stopped")
    return new AppThrew({ version: versionId, reason: "the app's process died", how: "died" })
  }

  /** Whether it can take a request: it lives and the watchdog has not condemned it. */
  get usable(): boolean {
    return this.alive && !this.stopped && this.watch.verdict() === null
  }

  /** Whether it should make way for a fresh one between two requests. */
  get heavy(): boolean {
    return this.watch.heavy()
  }

  /** Whether it died of its own doing, or over a bound. */
  get crashed(): boolean {
    return !this.alive && !this.stopped
  }

  kill(): void {
    if (!this.alive) return
    this.stopped = true
    // The wrapper is what we started; workerd dies with it.
    this.child.kill()
  }

  /** Threads that come later are as those that make them. */
  private lower(): void {
    this.low = true
    try {
      const priority = Math.min(getPriority() + LocalLimits.lowNice, constants.priority.PRIORITY_LOW)
      for (const thread of readdirSync(`/proc/${this.pid}/task`)) setPriority(Number(thread), priority)
    } catch {
      // It ended by itself, or runs as somebody whom we may not slow down.
    }
  }

  private died({ lost }: Ended): void {
    this.alive = false
    // It was no doing of the app's.
    if (lost) this.stopped = true
    this.verdict = this.watch.verdict()
    if (this.version !== null && !this.stopped) this.setting.console.died(this.version, this.verdict)
    if (this.verdict !== null || this.crashed) this.setting.meters.appKills.add(this.verdict ?? "crashed")
    this.watch.release()
  }

  private countCall(): boolean {
    this.calls += 1
    if (this.calls <= LocalLimits.appSubrequests) return true
    this.onTooManyCalls?.()
    return false
  }
}
