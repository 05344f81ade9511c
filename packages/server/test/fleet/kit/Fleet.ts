/** An installation on machines of its own: Postgres and a bucket, each on one, and three that have nothing in common but these. */
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { makeKey } from "@pawl/adapters-local/signing/KeyFiles"
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { makeBucket } from "../../../../adapters-s3/test/Buckets.ts"
import * as S3Server from "../../../../adapters-s3/test/S3Server.ts"
import { token } from "../../e2e/kit/ServerProcess.ts"
import { ask, type Door } from "./Caller.ts"
import * as Machines from "./Machines.ts"
import * as RoleProcess from "./RoleProcess.ts"
import * as RouterRole from "./RouterRole.ts"

/** Where people find the API, and where apps are. */
export const appsDomain = "apps.fleet.test"

/** An installation that runs. */
export interface Fleet {
  readonly postgres: PostgresServer.OwnPostgres
  readonly s3: S3Server.S3Server
  /** The machine of the bucket. */
  readonly bucket: Machines.Machine
  /** The three. */
  readonly machines: ReadonlyArray<Machines.Machine>
  readonly processes: ReadonlyArray<RoleProcess.RoleProcess>
  /** Where a role is answered for. */
  readonly doors: (role: RoleProcess.Role) => ReadonlyArray<Door>
  /** One more machine, which has seen nothing yet, with an API that answers. */
  readonly cold: () => Promise<Door>
  /** Ends all of it. */
  readonly stop: () => Promise<void>
}

/** Why it cannot be here; null when it can. */
export const whyNot = async (): Promise<string | null> =>
  Machines.whyNot() ?? S3Server.whyNot() ?? (await PostgresServer.whyNotOwn())

/** What each machine runs. */
const roles: ReadonlyArray<ReadonlyArray<RoleProcess.Role>> = [
  ["api", "router", "worker"],
  ["api", "router", "worker"],
  ["worker"]
]

/** The environment file of every machine. */
const environmentOf = (machine: Machines.Machine, shared: ReadonlyMap<string, string>): RoleProcess.Environment =>
  new Map([
    ...shared,
    ["PAWL_DATA", join(machine.folder, "data")],
    ["PAWL_BASE_URL", "http://pawl.fleet.test"],
    ["PAWL_APPS_DOMAIN", appsDomain],
    ["PAWL_SMOKE_RETRY_MS", "200"],
    ["PAWL_API_RATE_PER_MINUTE", "1000000"],
    ["PAWL_APP_BUILDS_PER_DAY", "1000000"],
    ["PAWL_SANDBOX_MINUTES_PER_MONTH", "1000000"]
  ])

/** Waits until a process says that it is ready. The bound is for a broken server; nothing is asserted about time. */
const ready = async (door: Door): Promise<void> => {
  for (let tries = 0; tries < 600; tries++) {
    if ((await ask(door, { path: "/health/ready" })).status === 200) return
    await pause(100)
  }
  throw new Error(`${door.host}:${door.port} is never ready`)
}

/** What a role has of it for itself: routers have less, and a folder without keys. */
const ownOf = (role: RoleProcess.Role, machine: Machines.Machine, ofRouters: ReadonlyMap<string, string>) =>
  role === "router"
    ? new Map([...ofRouters, ["PAWL_DATA", join(machine.folder, "routes")]])
    : new Map([["PAWL_OWNER_TOKEN", token]])

/** Starts one. All machines have the same keys: each signs in its turn. */
export const start = async (): Promise<Fleet> => {
  const network = await Machines.open()
  const processes: Array<RoleProcess.RoleProcess> = []
  const running: Array<{ readonly stop: () => Promise<unknown> }> = []
  const stop = async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await Promise.all(running.map((each) => each.stop()))
    await network.close()
  }
  try {
    const [database, bucket] = [await network.machine("database"), await network.machine("bucket")]
    const postgres = await PostgresServer.startOwn(["fsync=off"], {}, database.place("postgres"))
    running.push(postgres)
    const s3 = await S3Server.startAt(bucket.place("s3"))
    running.push(s3)
    const { bucket: name } = await makeBucket(s3)
    const ofRouters = await RouterRole.make(postgres.url, s3, name)
    const shared = new Map([
      ["PAWL_DATABASE_URL", postgres.url],
      ["PAWL_OBJECTS", `s3://${name}/pawl`],
      ["PAWL_S3_ENDPOINT", s3.endpoint],
      ["AWS_ACCESS_KEY_ID", s3.accessKeyId],
      ["AWS_SECRET_ACCESS_KEY", s3.secretAccessKey],
      ["PAWL_REPOSITORIES", "packs"]
    ])
    const keys = join(database.reached, "keys")
    mkdirSync(keys, { mode: 0o700 })
    makeKey(keys, "statement", "ecdsa-p256-sha256")
    makeKey(keys, "log", "ed25519")
    const equipped = async (name: string) => {
      const machine = await network.machine(name)
      cpSync(keys, join(machine.reached, "data"), { recursive: true })
      return machine
    }
    const started = async (machine: Machines.Machine, role: RoleProcess.Role): Promise<Door> => {
      const environment = new Map([...environmentOf(machine, shared), ...ownOf(role, machine, ofRouters)])
      processes.push(await RoleProcess.start(machine, role, environment))
      return { host: machine.host, port: RoleProcess.ports[role] }
    }
    const machines = [await equipped("one"), await equipped("two"), await equipped("three")]
    const open: Array<readonly [RoleProcess.Role, Door]> = []
    for (const [index, machine] of machines.entries())
      for (const role of roles[index]!) open.push([role, await started(machine, role)])
    await Promise.all(open.map(([, door]) => ready(door)))
    return {
      postgres,
      s3,
      bucket,
      machines,
      processes: [...processes],
      doors: (role) => open.flatMap(([of, door]) => (of === role ? [door] : [])),
      cold: async () => {
        const door = await started(await equipped("cold"), "api")
        await ready(door)
        return door
      },
      stop
    }
  } catch (error) {
    const logs = processes.map((each) => `${each.name}\n${each.log().slice(-3000)}`).join("\n")
    await stop()
    throw new Error(`the fleet does not start\n${logs}`, { cause: error })
  }
}
