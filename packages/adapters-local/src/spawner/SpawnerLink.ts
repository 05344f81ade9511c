/** One life of the spawner's process: what it was asked to start, and what runs. */
import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"
import { Option, Schema } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { ownProgram } from "../OwnProgram.ts"
import { SpawnedProcess } from "./SpawnedProcess.ts"
import { SpawnerAnswer, type SpawnerOrder } from "./SpawnerMessages.ts"
import type { Command, Ended } from "./Starter.ts"

const program = ownProgram(import.meta.url, "SpawnerProcess")
/** It holds a few numbers: a small heap keeps its forks short. */
const nodeOptions = ["--max-old-space-size=64", "--max-semi-space-size=1"]
/** Where there is `setpriv`, the kernel ends it with us, also when it hangs; else it notices by itself. */
const withUs = `if command -v setpriv >/dev/null 2>&1; then exec setpriv --pdeathsig KILL "$@"; fi; exec "$@"`

const decodeAnswer = Schema.decodeUnknownOption(SpawnerAnswer)

/** A process that is being started: its streams come in any order. */
interface Starting {
  readonly ownGroup: boolean
  readonly streams: Array<Socket | undefined>
  /** Which descriptors are streams. */
  readonly wanted: ReadonlyArray<number>
  pid: number | null
  /** It may have ended before the last of its streams was accepted. */
  ended: Ended | null
  readonly succeed: (started: SpawnedProcess) => void
  readonly fail: (reason: string) => void
}

/** It lives from its making to the end of its process. */
export class SpawnerLink {
  alive = true
  private readonly child: ChildProcess
  private readonly gone: Promise<void>
  private readonly starting = new Map<number, Starting>()
  private readonly running = new Map<number, SpawnedProcess>()

  constructor(path: string) {
    const node = [process.execPath, ...nodeOptions, ...program, path]
    this.child = spawn("/bin/sh", ["-c", withUs, "sh", ...node], {
      cwd: "/",
      env: { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/bin:/sbin:/bin` },
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    })
    let said = ""
    this.child.stderr?.on("data", (chunk: Buffer) => {
      if (said.length < LocalLimits.spawnerReasonLength) said += chunk.toString("utf8")
    })
    this.gone = new Promise((resolve) => {
      const end = () => {
        this.end(`the spawner ended: ${said.slice(0, LocalLimits.spawnerReasonLength)}`)
        resolve()
      }
      this.child.once("close", end)
      this.child.once("error", end)
    })
    this.child.on("message", (message: unknown) => {
      const answer = Option.getOrNull(decodeAnswer(message))
      if (answer !== null) this.hear(answer)
    })
  }

  get pid(): number | null {
    return this.child.pid ?? null
  }

  start(id: number, command: Command, withinMs: number): Promise<SpawnedProcess> {
    return new Promise((resolve, reject) => {
      const settled = () => {
        clearTimeout(timer)
        this.starting.delete(id)
      }
      const fail = (reason: string) => {
        settled()
        for (const stream of streams) stream?.destroy()
        reject(new Error(reason))
      }
      const timer = setTimeout(() => {
        this.order({ _tag: "Kill", id })
        fail(`it was not started within ${withinMs} ms`)
      }, withinMs)
      const streams: Starting["streams"] = []
      const succeed = (started: SpawnedProcess) => {
        settled()
        this.running.set(id, started)
        resolve(started)
      }
      const wanted = Array.from({ length: command.streams }, (_, descriptor) => descriptor).filter(
        (descriptor) => descriptor !== 1 || command.output === undefined
      )
      const { ownGroup = false } = command
      this.starting.set(id, { ownGroup, streams, wanted, pid: null, ended: null, succeed, fail })
      this.order({ _tag: "Start", id, command })
    })
  }

  /** A stream of a process that is being started; false when nobody waits for it. */
  receive(id: number, descriptor: number, socket: Socket): boolean {
    const one = this.starting.get(id)
    if (one === undefined || !one.wanted.includes(descriptor) || one.streams[descriptor] !== undefined) return false
    one.streams[descriptor] = socket
    this.whole(id, one)
    return true
  }

  async close(): Promise<void> {
    this.child.kill("SIGKILL")
    await this.gone
  }

  private hear(answer: SpawnerAnswer): void {
    const one = this.starting.get(answer.id)
    if (answer._tag === "Failed") one?.fail(answer.reason)
    else if (answer._tag === "Ended") {
      const ended = { code: answer.code, signal: answer.signal, lost: false }
      if (one === undefined) this.ended(answer.id, ended)
      else one.ended = ended
    } else if (one !== undefined) {
      one.pid = answer.pid
      this.whole(answer.id, one)
    }
  }

  private whole(id: number, { ended, ownGroup, pid, streams, succeed, wanted }: Starting): void {
    if (pid === null || wanted.some((descriptor) => streams[descriptor] === undefined)) return
    const demandKill = () => this.order({ _tag: "Kill", id })
    succeed(new SpawnedProcess(pid, Array.from(streams), { demandKill, ownGroup }))
    if (ended !== null) this.ended(id, ended)
  }

  private ended(id: number, ended: Ended): void {
    this.running.get(id)?.end(ended)
    this.running.delete(id)
  }

  private order(order: SpawnerOrder): void {
    if (this.child.connected) this.child.send(order, () => undefined)
  }

  private end(reason: string): void {
    this.alive = false
    for (const { fail } of this.starting.values()) fail(reason)
    for (const id of this.running.keys()) this.ended(id, { code: null, signal: "SIGKILL", lost: true })
  }
}
