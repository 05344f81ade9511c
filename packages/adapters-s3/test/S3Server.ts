/**
 * A real server of S3 for tests: Ceph's radosgw from Debian's packages, with one monitor and one store in memory behind
 * it. It dies with this process. `stop` and `start` of its gateway keep what is stored.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { type Address, ownAddress } from "../../adapters-local/test/OwnAddress.ts"
import type { Place } from "../../adapters-local/test/Place.ts"

/** Who a user says that he is. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export interface S3Server extends Credentials {
  readonly endpoint: string
  readonly address: Address
  /** Makes one more user, who owns nothing and may nothing. */
  readonly addUser: (name: string) => Promise<Credentials>
  /** Ends the gateway: nobody listens any more. */
  readonly close: () => Promise<void>
  /** Starts it again; it answers when this resolves. */
  readonly open: () => Promise<void>
  /** Ends everything. */
  readonly stop: () => Promise<void>
}

/** The name under which buckets are hosts of their own: `bucket.s3.localhost`. */
export const hostName = "s3.localhost"

const programs = ["radosgw", "radosgw-admin", "ceph-mon", "ceph-osd", "ceph", "ceph-authtool", "monmaptool", "setpriv"]

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
  const missing = programs.filter((program) => !found(program))
  return missing.length === 0
    ? null
    : `no radosgw (missing: ${missing.join(", ")}): apt-get install --no-install-recommends radosgw ceph-mon ceph-osd`
}

const user = { accessKeyId: "pawl", secretAccessKey: "pawlsecret" }

const configuration = (folder: string, id: string, monitor: Address, gateway: Address): string => `
[global]
fsid = ${id}
mon_host = [v2:${monitor.host}:${monitor.port}]
public_addr = ${monitor.host}
cluster_addr = ${monitor.host}
# Without it the gateway waits for ever.
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
auth_allow_insecure_global_id_reclaim = false
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
# A quick start.
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
run_dir = ${folder}/run
admin_socket = ${folder}/run/$name.asok
keyring = ${folder}/keyring
log_file =
log_to_stderr = false
mon_cluster_log_to_file = false
[mon.a]
mon_data = ${folder}/mon
[osd.0]
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = 1073741824
[client]
rgw_data = ${folder}/rgw
rgw_frontends = beast endpoint=${gateway.host}:${gateway.port} tcp_nodelay=1
rgw_dns_name = ${hostName}
rgw_enable_usage_log = false
rgw_enable_lc_threads = false
rgw_thread_pool_size = 64
`

const execute = promisify(execFile)

const dying = ["--pdeathsig", "KILL", "--"]

/** A command at a place. */
const commandAt = ({ wrap }: Place, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] => {
  const [command = "setpriv", ...rest] = [...wrap, "setpriv", ...dying, ...args]
  return [command, rest]
}

/** A program that ends by itself, or with this process: it waits for ever for a cluster that is gone. */
const run = (place: Place, program: string, args: ReadonlyArray<string>) => {
  const [command, rest] = commandAt(place, [program, ...args])
  return execute(command, rest)
}

const pause = () => new Promise<void>((resolve) => void setTimeout(resolve, 20))

/** A program that stays, and dies with this process. */
const stay = (place: Place, name: string, args: ReadonlyArray<string>): ChildProcess => {
  const [command, rest] = commandAt(place, [name, "-f", "-c", join(place.folder, "ceph.conf"), ...args])
  return spawn(command, rest, { stdio: ["ignore", "ignore", "ignore"], env: { PATH: process.env["PATH"] } })
}

const alive = (child: ChildProcess, name: string): void => {
  if (child.exitCode !== null || child.signalCode !== null)
    throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`)
}

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGKILL")
  await exited
}

/** Whether somebody listens there. */
const answers = ({ host, port }: Address): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, host)
    const done = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once("connect", () => done(true)).once("error", () => done(false))
  })

/** Keys of who talks with whom, and an empty monitor. */
const prepare = async (place: Place, id: string, monitor: Address): Promise<void> => {
  const { folder } = place
  const keyring = join(folder, "keyring")
  const key = (name: string, caps: ReadonlyArray<string>, first = false) =>
    run(place, "ceph-authtool", [
      ...(first ? ["--create-keyring"] : []),
      keyring,
      "--gen-key",
      "-n",
      name,
      ...caps.flatMap((cap) => ["--cap", ...cap.split(": ")])
    ])
  await key("mon.", ["mon: allow *"], true)
  await key("client.admin", ["mon: allow *", "osd: allow *", "mgr: allow *"])
  await key("osd.0", ["mon: allow profile osd", "osd: allow *"])
  const map = join(folder, "monmap")
  const at = `[v2:${monitor.host}:${monitor.port}]`
  await run(place, "monmaptool", ["--create", "--clobber", "--fsid", id, "--addv", "a", at, map])
  const config = join(folder, "ceph.conf")
  await run(place, "ceph-mon", ["--mkfs", "-i", "a", "--monmap", map, "--keyring", keyring, "-c", config])
}

/** The monitor and the store: ready for a gateway. */
const cluster = async (place: Place): Promise<ReadonlyArray<ChildProcess>> => {
  const config = ["-c", join(place.folder, "ceph.conf")]
  const monitor = stay(place, "ceph-mon", ["-i", "a"])
  while (!existsSync(join(place.reached, "run", "mon.a.asok"))) {
    alive(monitor, "ceph-mon")
    await pause()
  }
  const store = randomUUID()
  await run(place, "ceph", [...config, "osd", "new", store, "0"])
  await run(place, "ceph-osd", [...config, "-i", "0", "--mkfs", "--osd-uuid", store])
  return [monitor, stay(place, "ceph-osd", ["-i", "0"])]
}

const gatewayAt = async (place: Place, address: Address): Promise<ChildProcess> => {
  const gateway = stay(place, "radosgw", ["-n", "client.admin"])
  while (!(await answers(address))) {
    alive(gateway, "radosgw")
    await pause()
  }
  return gateway
}

const makeUser = (place: Place, name: string, { accessKeyId, secretAccessKey }: Credentials) =>
  run(place, "radosgw-admin", [
    "-c",
    join(place.folder, "ceph.conf"),
    "user",
    "create",
    `--uid=${name}`,
    `--display-name=${name}`,
    `--access-key=${accessKeyId}`,
    `--secret-key=${secretAccessKey}`
  ])

const beside = (address: () => Address): Place => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-s3-"))
  return { address, folder, reached: folder, wrap: [] }
}

/** Starts one; it has a user, and no bucket. Where it listens is this process's own, or as given. */
export const start = (at: () => Address = ownAddress): Promise<S3Server> => startAt(beside(at))

/** The same, at a place whose addresses this process reaches. */
export const startAt = async (place: Place): Promise<S3Server> => {
  const { folder, reached } = place
  for (const name of ["mon", "osd", "rgw", "run"]) mkdirSync(join(reached, name))
  const [monitor, address, id] = [place.address(), place.address(), randomUUID()]
  writeFileSync(join(reached, "ceph.conf"), configuration(folder, id, monitor, address))
  let running: ReadonlyArray<ChildProcess> = []
  let gateway: ChildProcess | undefined
  const stop = async () => {
    await Promise.all([...running, ...(gateway === undefined ? [] : [gateway])].map(end))
    rmSync(reached, { recursive: true, force: true })
  }
  try {
    await prepare(place, id, monitor)
    running = await cluster(place)
    const [made] = await Promise.all([gatewayAt(place, address), makeUser(place, "pawl", user)])
    gateway = made
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ...user,
    address,
    endpoint: `http://${address.host}:${address.port}`,
    addUser: async (name) => {
      const made = { accessKeyId: `${name}-key`, secretAccessKey: `${name}-secret` }
      await makeUser(place, name, made)
      return made
    },
    close: () => end(gateway!),
    open: async () => {
      gateway = await gatewayAt(place, address)
    },
    stop
  }
}
