/** What the figures were measured on. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { cpus, loadavg, release, totalmem, type as osType } from "node:os"

const osName = (): string => {
  const file = "/etc/os-release"
  const named = existsSync(file) ? /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync(file, "utf8"))?.[1] : undefined
  return `${named ?? osType()}, kernel ${release().split("-")[0]}`
}

const gitVersion = (): string =>
  execFileSync("git", ["--version"], { encoding: "utf8" }).trim().replace("git version ", "")

export interface Machine {
  readonly cores: number
  readonly cpu: string
  readonly memory: string
  readonly os: string
  readonly node: string
  readonly git: string
  readonly date: string
  /** Of the last minute, before the first round: above 0, something else was at work. */
  readonly loadBefore: string
}

export const describeMachine = (): Machine => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  memory: `${Math.round(totalmem() / 1024 ** 3)} GiB`,
  os: osName(),
  node: process.version,
  git: gitVersion(),
  date: new Date().toISOString().slice(0, 10),
  loadBefore: (loadavg()[0] ?? 0).toFixed(2)
})
