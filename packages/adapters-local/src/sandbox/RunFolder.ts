/**
 * What a supervisor leaves on the machine while it runs: one folder under the temporary folder and cgroups, all named
 * after it. Those of a supervisor that died are found by the same name and removed at the next start.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beginningOf } from "../ProcessBeginning.ts"

const prefix = "pawl-sandbox"

const pidNamespace = (): string => /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0"

/** `pawl-sandbox-<pid namespace>-<pid>-<start ticks>`: the name that all we leave begins with. */
export const ownName = (): string => [prefix, pidNamespace(), process.pid, beginningOf(process.pid) ?? "0"].join("-")

/** Whether a name is of a supervisor in this pid namespace that runs no more. */
export const isStale = (name: string): boolean => {
  const match = /^pawl-sandbox-(\d+)-(\d+)-(\d+)-/.exec(name)
  if (match === null || match[1] !== pidNamespace()) return false
  return beginningOf(Number(match[2])) !== match[3]
}

/** The names in a folder that supervisors gave, our own among them; none when the folder cannot be read. */
export const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(`${prefix}-`))
  } catch {
    return []
  }
}

const sweepFolders = (): void => {
  for (const name of namesIn(tmpdir()).filter(isStale)) {
    const path = join(tmpdir(), name)
    try {
      if (lstatSync(path).uid === process.getuid?.()) rmSync(path, { recursive: true, force: true })
    } catch {
      // Another supervisor swept it first.
    }
  }
}

/** The folder of one supervisor, which `remove` deletes with all in it. */
export interface RunFolder {
  readonly path: string
  /** Only we may look into this one. */
  readonly privatePath: string
  readonly remove: () => void
}

/** A fresh folder of our own, after those of the dead are gone. */
export const makeRunFolder = (): RunFolder => {
  sweepFolders()
  const path = mkdtempSync(join(tmpdir(), `${ownName()}-`))
  chmodSync(path, 0o711)
  const privatePath = join(path, "private")
  mkdirSync(privatePath, { mode: 0o700 })
  return { path, privatePath, remove: () => rmSync(path, { recursive: true, force: true }) }
}
