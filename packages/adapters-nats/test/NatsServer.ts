/** A real server of NATS for tests: Debian's `nats-server`. It dies with this process. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { type Address, ownAddress } from "../../adapters-local/test/OwnAddress.ts"

export interface NatsServer {
  readonly address: Address
  /** `host:port` */
  readonly at: string
  /** `nats://host:port` */
  readonly url: string
  /** Ends it with a kill: nobody listens any more. */
  readonly kill: () => Promise<void>
  /** Starts it again at the same address; it answers when this resolves. */
  readonly open: () => Promise<void>
  /** It listens on, and says nothing; and it goes on. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Ends it for good. */
  readonly stop: () => Promise<void>
}

const found = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })

/** Why it cannot be started here; null when it can. */
export const whyNot = (): string | null => {
  const missing = ["nats-server", "setpriv"].filter((program) => !found(program))
  return missing.length === 0
    ? null
    : `no nats-server (missing: ${missing.join(", ")}): apt-get install --no-install-recommends nats-server`
}

const answers = ({ host, port }: Address): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host)
    const done = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    // It speaks first.
    socket.once("data", () => done(true)).once("error", () => done(false))
  })

/** The port that a server has chosen, once it says so. */
const chosenPort = (folder: string, child: ChildProcess): number | null => {
  const file = join(folder, `nats-server_${child.pid}.ports`)
  const said = existsSync(file) ? readFileSync(file, "utf8") : ""
  return said.endsWith("}") ? Number(/:(\d+)"/.exec(said)?.[1]) : null
}

/** Starts one, with more lines of its configuration. At port -1 it chooses one, for an address that others use too. */
export const start = async (more = "", at: Address = ownAddress()): Promise<NatsServer> => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-nats-"))
  const config = join(folder, "nats.conf")
  writeFileSync(config, `listen: "${at.host}:${at.port}"\nports_file_dir: "${folder}"\n${more}\n`)
  let address = at
  let child: ChildProcess | null = null
  const open = async () => {
    const started = spawn("setpriv", ["--pdeathsig", "KILL", "--", "nats-server", "-c", config], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { PATH: process.env["PATH"] }
    })
    child = started
    let said = ""
    started.stderr.on("data", (part: Buffer) => void (said += part.toString()))
    while (address.port === -1 || !(await answers(address))) {
      address = { host: at.host, port: at.port === -1 ? (chosenPort(folder, started) ?? -1) : at.port }
      if (started.exitCode !== null || started.signalCode !== null) throw new Error(`nats-server ended: ${said}`)
      await new Promise<void>((resolve) => void setTimeout(resolve, 10))
    }
  }
  const kill = async () => {
    const ending = child
    child = null
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
    const exited = once(ending, "exit")
    ending.kill("SIGKILL")
    await exited
  }
  const stop = async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await open()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    address,
    at: `${address.host}:${address.port}`,
    url: `nats://${address.host}:${address.port}`,
    kill,
    open,
    freeze: () => void child?.kill("SIGSTOP"),
    thaw: () => void child?.kill("SIGCONT"),
    stop
  }
}
