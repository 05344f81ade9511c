/** One workerd process: started before it knows its app, given one, watched, and killed. Never used for a second app. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmodSync, chownSync, readFileSync, writeFileSync } from "node:fs"
import { mkdir, rm } from "node:fs/promises"
import { Agent, request as httpRequest, type Server } from "node:http"
import { join } from "node:path"
import { AppOverLimit, AppRuntimeUnavailable, AppThrew, type AppVersion } from "@pawl/core/app/AppRuntime"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Bindings, listenForCalls } from "./BindingServer.ts"
import { hostArguments } from "./HostWorker.ts"
import { cleanEnvironment, type Confinement } from "./RuntimeIsolation.ts"
import type { Watch, Watchdog } from "./Watchdog.ts"

export interface HostSetting {
  readonly confinement: Confinement
  readonly watchdog: Watchdog
  readonly bindings: Bindings
  /** The folder with the host worker's files, which every process sees. */
  readonly shared: string
  /** Where process folders are made, and the same by a path short enough for a socket's name. */
  readonly folder: string
  readonly reach: string
  /** How long one request may take. */
  readonly wallMs: number
}

/** The process at the end of a chain of wrappers. */
const leafOf = (pid: number): number => {
  const child = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]
  return child === undefined || child === "" ? pid : leafOf(Number(child))
}

const unavailable = (reason: string) => new AppRuntimeUnavailable({ reason })

/** Resolves when workerd listens on both sockets. */
const listening = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ""
    let complaints = ""
    const timer = setTimeout(
      () => reject(unavailable(`workerd did not start within ${Limits.appStartMs} ms`)),
      Limits.appStartMs
    )
    const settle = (end: () => void) => {
      clearTimeout(timer)
      end()
    }
    // Read on after the start too, so that an app that writes much to its console is not held up by a full pipe.
    child.stderr?.on("data", (chunk: Buffer) => {
      if (complaints.length < 2000) complaints += chunk.toString("utf8")
    })
    child.stdio[3]?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8")
      if (said.includes('"app"') && said.includes('"control"')) settle(resolve)
    })
    child.once("error", (error) => settle(() => reject(unavailable(`workerd cannot be started: ${error.message}`))))
    child.once("exit", () =>
      settle(() => reject(unavailable(`workerd ended at its start: ${complaints.slice(0, 500)}`)))
    )
  })

export class HostProcess {
  /** Proves that an answer is the host worker's own word. */
  readonly mark = randomBytes(16).toString("hex")
  readonly agent = new Agent({ keepAlive: true, maxSockets: 1, timeout: 2000 })
  readonly exited: Promise<void>
  /** The first request has the budget of a cold start. */
  cold = true
  alive = true
  idleSinceMs = 0
  /** Called when the app makes one call too many, to stop the request under way. */
  onTooManyCalls: (() => void) | null = null
  onExit: (() => void) | null = null

  private version: AppVersion | null = null
  private calls = 0
  private stopped = false
  private verdict: "cpu" | "memory" | null = null
  private readonly name: string
  private readonly setting: HostSetting
  private readonly child: ChildProcess
  private readonly watch: Watch
  private readonly server: Server

  private constructor(
    setting: HostSetting,
    name: string,
    child: ChildProcess,
    server: Server,
    caller: { host: HostProcess | null }
  ) {
    this.setting = setting
    this.name = name
    this.child = child
    this.server = server
    caller.host = this
    const pid = leafOf(child.pid ?? 0)
    try {
      // When the machine runs out of memory, an app goes first.
      writeFileSync(`/proc/${pid}/oom_score_adj`, "1000")
    } catch {
      // Not ours to say on this machine; the watchdog's bound stands.
    }
    this.watch = setting.watchdog.watch(pid)
    this.exited = new Promise((resolve) =>
      child.once("exit", () => {
        this.alive = false
        this.verdict = this.watch.verdict()
        this.watch.release()
        this.server.closeAllConnections()
        this.server.close()
        this.agent.destroy()
        void rm(join(setting.folder, name), { recursive: true, force: true }).catch(() => undefined)
        this.onExit?.()
        resolve()
      })
    )
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
    const [file = "", ...args] = confinement.command(
      setting.shared,
      own,
      hostArguments(confinement.hostFolder || setting.shared, confinement.socketFolder(near))
    )
    let child: ChildProcess | undefined
    try {
      if (confinement.uid !== null)
        for (const path of [own, join(own, "supervisor.sock")]) chownSync(path, confinement.uid, confinement.uid)
      chmodSync(join(own, "supervisor.sock"), 0o600)
      child = spawn(file, args, { env: cleanEnvironment, stdio: ["ignore", "ignore", "pipe", "pipe"], cwd: "/" })
      await listening(child)
      return new HostProcess(setting, name, child, server, caller)
    } catch (error) {
      child?.kill("SIGKILL")
      server.close()
      await rm(own, { recursive: true, force: true }).catch(() => undefined)
      throw error instanceof AppRuntimeUnavailable
        ? error
        : unavailable(`a process cannot be started: ${String(error)}`)
    }
  }

  /** Gives the process its app. Once. */
  assign(version: AppVersion, frame: Buffer): Promise<void> {
    this.version = version
    this.watch.begin(Limits.appColdCpuMs)
    return new Promise((resolve, reject) => {
      const fail = (reason: string) => {
        this.kill()
        reject(unavailable(`a process did not take its app: ${reason}`))
      }
      const sent = httpRequest(
        {
          socketPath: join(this.setting.reach, this.name, "control.sock"),
          method: "POST",
          timeout: Limits.appStartMs,
          agent: false
        },
        (answer) => {
          answer.resume()
          this.watch.end()
          if (answer.statusCode === 204) resolve()
          else fail(`it answered ${answer.statusCode}`)
        }
      )
      sent.once("timeout", () => sent.destroy(new Error("no answer")))
      sent.once("error", (error) => fail(error.message))
      sent.end(frame)
    })
  }

  get wallMs(): number {
    return this.setting.wallMs
  }

  get appSocket(): string {
    return join(this.setting.reach, this.name, "app.sock")
  }

  /** A request starts: its CPU time and its calls count from here. */
  begin(): void {
    this.calls = 0
    this.watch.begin(this.cold ? Limits.appColdCpuMs : Limits.appCpuMs)
  }

  end(): void {
    this.cold = false
    this.onTooManyCalls = null
    this.watch.end()
  }

  /** What a request that was under way when the process died is told. */
  causeOfDeath(versionId: string): AppThrew | AppOverLimit | AppRuntimeUnavailable {
    if (this.verdict !== null)
      return new AppOverLimit({ version: versionId, limit: this.verdict, retryAfterSeconds: 1 })
    if (this.stopped) return unavailable("the app was stopped")
    return new AppThrew({ version: versionId, reason: "the app's process died" })
  }

  /** Whether it can take a request: it lives and the watchdog has not condemned it. */
  get usable(): boolean {
    return this.alive && !this.stopped && this.watch.verdict() === null
  }

  /** Whether it died of its own doing, or over a bound. */
  get crashed(): boolean {
    return !this.alive && !this.stopped
  }

  kill(): void {
    if (!this.alive) return
    this.stopped = true
    // The wrapper is what we started; workerd dies with it.
    this.child.kill("SIGKILL")
  }

  private countCall(): boolean {
    this.calls += 1
    if (this.calls <= Limits.appSubrequests) return true
    this.onTooManyCalls?.()
    return false
  }
}
