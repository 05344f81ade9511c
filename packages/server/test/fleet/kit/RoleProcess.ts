/** A server process of a machine that is given a role and an environment: it is started again whenever it ends, as systemd does it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { compiled, main } from "../../e2e/kit/CompiledPrograms.ts"
import type { Machine } from "./Machines.ts"

/** What one of an installation's processes does. */
export type Role = "api" | "router" | "worker"

/** Where each role listens. */
export const ports: Readonly<Record<Role, number>> = { api: 8787, router: 8788, worker: 8789 }

/** An environment file: what the process is told, by name. */
export type Environment = ReadonlyMap<string, string>

/** A process of a machine. */
export interface RoleProcess {
  readonly name: string
  readonly role: Role
  readonly machine: Machine
  /** SIGKILL; it is started again. */
  readonly kill: () => void
  /** SIGSTOP. */
  readonly freeze: () => void
  /** SIGCONT. */
  readonly thaw: () => void
  /** SIGTERM, for good; answers how it ended. */
  readonly stop: () => Promise<number | string>
  /** What it said on standard error, with what each start said before. */
  readonly log: () => string
  /** How often it ended by itself: neither killed nor stopped. */
  readonly ownEnds: () => ReadonlyArray<string>
}

/** Of a log the end is enough. */
const keptCharacters = 400_000
/** As systemd waits before it starts a service again. */
const restartMs = 200

/** Starts a process of a role, which goes on until it is stopped. Whether it answers yet is for others to ask. */
export const start = async (machine: Machine, role: Role, environment: Environment): Promise<RoleProcess> => {
  const file = await compiled(main)
  const node = [process.execPath, "--conditions=pawl-source", "--disable-warning=ExperimentalWarning", file, "serve"]
  const [command = "nsenter", ...args] = [...machine.wrap, "setpriv", "--pdeathsig", "KILL", "--", ...node]
  const ownEnds: Array<string> = []
  let log = ""
  let child: ChildProcess
  let [isWanted, isKilled] = [true, false]
  const run = () => {
    isKilled = false
    child = spawn(command, args, {
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: machine.folder,
        TMPDIR: machine.folder,
        NODE_COMPILE_CACHE: join(machine.folder, "compiled"),
        PAWL_ROLES: role,
        PAWL_HOST: machine.host,
        PAWL_PORT: String(ports[role]),
        ...Object.fromEntries(environment)
      },
      stdio: ["ignore", "ignore", "pipe"]
    })
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-keptCharacters)))
    child.once("close", (code, signal) => {
      if (!isWanted) return
      if (!isKilled) ownEnds.push(`${machine.name} ${role}: ${code ?? signal}, ${log.trimEnd().split("\n").at(-1)}`)
      void pause(restartMs).then(() => (isWanted ? run() : undefined))
    })
  }
  run()
  const signal = (name: NodeJS.Signals) => void child.kill(name)
  return {
    name: `${machine.name} ${role}`,
    role,
    machine,
    kill: () => {
      isKilled = true
      signal("SIGKILL")
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    stop: async () => {
      isWanted = false
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode ?? "gone"
      const closed = once(child, "close")
      signal("SIGCONT")
      signal("SIGTERM")
      const [code, name] = await closed
      return (code ?? name) as number | string
    },
    log: () => log,
    ownEnds: () => ownEnds
  }
}
