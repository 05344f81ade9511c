/**
 * A real npm registry on this machine: verdaccio, in front of the one that npm is set up with. What it fetched once it
 * keeps below node_modules/.cache, so that later runs need no network.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { ownAddress } from "../../../../adapters-local/test/OwnAddress.ts"

const root = fileURLToPath(new URL("../../../../../", import.meta.url))
const program = join(root, "node_modules/verdaccio/bin/verdaccio")

export interface Registry {
  /** `http://<address>:<port>/` */
  readonly url: string
  readonly stop: () => Promise<void>
}

const settingsOf = (storage: string, uplink: string): string =>
  JSON.stringify({
    storage,
    uplinks: { above: { url: uplink, maxage: "30d", cache: true, timeout: "60s", max_fails: 100 } },
    packages: { "**": { access: "$all", proxy: "above" } },
    max_body_size: "500mb",
    log: { type: "stdout", level: "error" }
  })

/** What npm of this machine asks. */
const npmRegistry = (): string => {
  const marks = /^npm_/
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !marks.test(name)))
  return execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8", env, cwd: tmpdir() }).trim()
}

/** Starts it, and resolves once it answers. */
export const startRegistry = async (): Promise<Registry> => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-registry-"))
  const storage = join(root, "node_modules/.cache/pawl-registry")
  mkdirSync(storage, { recursive: true })
  const settings = join(folder, "config.yaml")
  writeFileSync(settings, settingsOf(storage, npmRegistry()))
  const { host, port } = ownAddress()
  const child = spawn(process.execPath, [program, "--config", settings, "--listen", `${host}:${port}`], {
    cwd: folder,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST"))),
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const output of [child.stdout, child.stderr])
    output.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(-10_000)))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const url = `http://${host}:${port}/`
  const stop = async () => {
    child.kill("SIGKILL")
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) break
    const answer = await fetch(`${url}-/ping`).catch(() => null)
    if (answer?.ok === true) return { url, stop }
    await pause(100)
  }
  await stop()
  throw new Error(`verdaccio did not start: ${said}`)
}
