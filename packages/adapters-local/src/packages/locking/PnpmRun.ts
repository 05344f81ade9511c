/** One run of pnpm in a folder of its own: with nothing of the machine's or the user's settings, and one registry. */
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { LocalLimits } from "../../LocalLimits.ts"
import { type Fields, isFields, own } from "./PackageFields.ts"
import type { PnpmRegistry } from "./PnpmRegistry.ts"

/** What came of it: `error` is what pnpm says is wrong, in its own words; null for nothing. */
export interface PnpmRun {
  readonly error: Fields | null
  readonly signal: NodeJS.Signals | null
}

const program = join(dirname(fileURLToPath(import.meta.resolve("pnpm"))), "bin", "pnpm.cjs")
const MiB = 1024 * 1024

/** What packages may ask for as the Node that they run on: fixed, so that a lock is the same everywhere. */
const nodeVersion = "24.21.0"

const settingsFor = (folder: string, { deadEnd, url }: PnpmRegistry, more: Fields): ReadonlyArray<string> => {
  const settings = {
    registry: url,
    // The one scope that pnpm would ask another registry for.
    "@jsr:registry": url,
    proxy: deadEnd,
    "https-proxy": deadEnd,
    "http-proxy": deadEnd,
    noproxy: "127.0.0.1",
    "store-dir": join(folder, "store"),
    "cache-dir": join(folder, "cache"),
    "state-dir": join(folder, "state"),
    "global-dir": join(folder, "global"),
    "manage-package-manager-versions": false,
    "update-notifier": false,
    "block-exotic-subdeps": true,
    "prefer-frozen-lockfile": false,
    "frozen-lockfile": false,
    "fetch-retries": 0,
    "fetch-timeout": LocalLimits.lockMs,
    "node-version": nodeVersion,
    "strict-peer-dependencies": false,
    ...more
  }
  return Object.entries(settings).map(([name, value]) => `--config.${name}=${String(value)}`)
}

/** What pnpm says is wrong; null where a line says something else. Each of its lines is JSON. */
const errorIn = (line: string): Fields | null => {
  if (!line.includes('"error"')) return null
  try {
    const said: unknown = JSON.parse(line)
    return isFields(said) && own(said, "level") === "error" ? said : null
  } catch {
    // Cut, or none of pnpm's.
    return null
  }
}

/** Waits for pnpm. Once it has said what is wrong it is not waited for: it looks for processes of its own then. */
const ended = (child: ChildProcessByStdio<null, Readable, null>): Promise<PnpmRun> =>
  new Promise((resolve, reject) => {
    let rest = ""
    let error: Fields | null = null
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (piece: string) => {
      const lines = `${rest}${piece}`.split("\n")
      rest = (lines.pop() ?? "").slice(0, LocalLimits.pnpmLineLength)
      for (const line of lines) error ??= errorIn(line)
      if (error === null) return
      child.kill("SIGKILL")
      resolve({ error, signal: null })
    })
    child.once("error", reject)
    child.once("close", (code, signal) => resolve({ error: code === 0 ? null : {}, signal }))
  })

/** Makes or renews `pnpm-lock.yaml` beside the `package.json` of `<folder>/project`. `more` are settings of pnpm. */
export const runPnpm = (folder: string, registry: PnpmRegistry, more: Fields): Promise<PnpmRun> => {
  const home = join(folder, "home")
  const project = join(folder, "project")
  mkdirSync(home, { recursive: true })
  // What is set for the whole machine counts as little as what a user sets.
  for (const name of ["user", "global"]) writeFileSync(join(home, name), "")
  const node = [`--max-old-space-size=${Math.floor(LocalLimits.lockHeapBytes / MiB)}`, program]
  const flags = ["--lockfile-only", "--ignore-scripts", "--ignore-pnpmfile", "--ignore-workspace", "--reporter=ndjson"]
  const child = spawn(process.execPath, [...node, "install", ...flags, ...settingsFor(folder, registry, more)], {
    cwd: project,
    env: {
      LC_ALL: "C.UTF-8",
      HOME: home,
      PATH: "",
      TMPDIR: home,
      XDG_CONFIG_HOME: home,
      XDG_CACHE_HOME: home,
      XDG_DATA_HOME: home,
      XDG_STATE_HOME: home,
      PNPM_HOME: home,
      NODE_DISABLE_COMPILE_CACHE: "1",
      npm_config_userconfig: join(home, "user"),
      npm_config_globalconfig: join(home, "global")
    },
    stdio: ["ignore", "pipe", "ignore"]
  })
  return ended(child)
}
