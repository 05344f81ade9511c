/**
 * What a source says of how it is built, read by the script of builds: its settings, what has to run before it is bundled, and
 * the packages of its lock. Whoever holds a Project asks for it over RPC, and parses nothing of that itself.
 */
import { assetsFolder } from "@pawl/adapters-local/builder/settings/AppSettings"
import { readPnpmLock } from "@pawl/adapters-local/packages/PnpmLock"
import { sourceLock, satisfies } from "@pawl/adapters-local/packages/SourceLock"
import type { BuildJob } from "@pawl/core/bundle/AppBuilder"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { commandOf } from "./BuildCommands.ts"
import type { SourceCalls, SourceOutline } from "./SourceOutline.ts"

const untold = new Uint8Array()

const filesOf = ({ paths, told }: SourceOutline): BuildJob["files"] =>
  new Map(paths.map((path) => [path, { content: told.get(path) ?? untold, executable: false }]))

/** Apps run on Workers alone; what a lock has for kinds of machines is chosen as on the usual one. */
const machine = { os: "linux", cpu: "x64", libc: "glibc" }

const reading = { machine, satisfies }

const read = sourceLock({
  ...reading,
  pnpm: (lock, manifest) => readPnpmLock(lock, manifest, reading, CloudflareLimits.keptPnpmLockBytes)
})

/** The answers; `commands` is whether something runs build commands. */
export const sourceAnswers = (commands: boolean): SourceCalls => ({
  commandOf: (outline) => Promise.resolve(commandOf(commands)(filesOf(outline))),
  assetsFolder: (settings, folders) => Promise.resolve(assetsFolder(settings, folders)),
  readLock: (files) => Promise.resolve(read(files))
})
