/**
 * An installation in workerd in a folder of its own on this machine, for tests and for the demo. A stand-in for the engine of
 * containers runs the program of checks right here: what isolates is that program itself.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { program } from "../../packages/adapters-cloudflare/test/sandbox/ChecksHere.ts"
import { dockerStandIn } from "../../packages/adapters-cloudflare/test/sandbox/DockerStandIn.ts"
import type { Installation } from "./Scripts.ts"
import { simulate, type Simulated } from "./Simulator.ts"
import { type DemoApi, make } from "@pawl/server/node/demo/DemoApi"

const host = "127.0.0.1"

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, host, () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const keyOf = (type: "ec" | "ed25519"): string => {
  const { privateKey } =
    type === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519")
  return privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")
}

/** Processes of workerd that this one started. */
const workerds = (): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, comm = "", parent = ""] =
          /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? []
        return comm === "workerd" && Number(parent) === process.pid ? [Number(name)] : []
      } catch {
        return []
      }
    })

export interface Installed {
  /** As the owner. */
  readonly api: DemoApi
  readonly as: (token: string) => DemoApi
  readonly origin: string
  /** The owner's token. */
  readonly owner: string
  /** Where objects and the bucket are kept. */
  readonly folder: string
  readonly simulated: () => Simulated
  /** Kills workerd as it is, and starts it again on what was kept; with the clock of its objects so far ahead, in ms. */
  readonly killAndRestart: (aheadMs?: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** What surrounds an installation here. */
export interface Surroundings {
  /** Scripts of others, told the owner's token. */
  readonly also?: (owner: string) => ReadonlyArray<object>
  readonly losesMessages?: boolean
  /** How far the clock of its objects is ahead, in ms; see `SimulatorOptions.aheadMs`. */
  readonly aheadMs?: number
  /** Secrets beside those that each has. */
  readonly secrets?: Readonly<Record<string, string>>
}

/** Starts it in a folder of its own. */
export const install = async (
  options: Partial<Installation> = {},
  { aheadMs: ahead, also = () => [], losesMessages = false, secrets: more = {} }: Surroundings = {}
): Promise<Installed> => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-workers-"))
  const engine = await dockerStandIn()
  const owner = `pawl_${randomBytes(24).toString("base64url")}`
  const secrets = { OWNER_TOKEN: owner, SIGNING_KEY: keyOf("ec"), LOG_KEY: keyOf("ed25519"), ...more }
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const installation: Installation = {
    environment: "production",
    appsDomain: "apps.localhost",
    apiOrigin: origin,
    oidc: null,
    models: null,
    paused: false,
    version: "0.0.0-test",
    requestsPerMinute: 1_000_000,
    buildsPerDay: 1_000_000,
    sandboxMinutesPerMonth: 1_000_000,
    checks: { image: "checks:1", program: await program({ force: "bubblewrap" }) },
    repositories: "packs",
    registry: "https://registry.npmjs.org/",
    ...options
  }
  const start = (aheadMs: number | undefined) =>
    simulate({
      installation,
      secrets,
      folder,
      engine: engine.socketPath,
      port,
      losesMessages,
      also: also(owner),
      ...(aheadMs === undefined ? {} : { aheadMs })
    })
  let simulated = await start(ahead)
  const as = (token: string): DemoApi => make({ host, port }, token)
  return {
    api: as(owner),
    as,
    origin,
    owner,
    folder,
    simulated: () => simulated,
    killAndRestart: async (aheadMs = ahead) => {
      for (const pid of workerds()) process.kill(pid, "SIGKILL")
      await simulated.close()
      simulated = await start(aheadMs)
    },
    close: async () => {
      await simulated.close()
      await engine.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
