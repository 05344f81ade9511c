/**
 * What a source says of how it is built, read by the script of builds: its settings, what has to run before it is bundled, and
 * the packages of its lock. Whoever holds a Project asks for it over RPC, and parses nothing of that itself.
 */
import { assetsFolder } from "@pawl/adapters-local/builder/settings/AppSettings"
import { sourceLock, satisfies } from "@pawl/adapters-local/packages/SourceLock"
import type { BuildJob } from "@pawl/core/bundle/AppBuilder"
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import { packageProblem } from "@pawl/core/packages/PackageProblems"
import { commandOf } from "./BuildCommands.ts"
import type { SourceCalls, SourceOutline } from "./SourceOutline.ts"

const untold = new Uint8Array()

const filesOf = ({ paths, told }: SourceOutline): BuildJob["files"] =>
  new Map(paths.map((path) => [path, { content: told.get(path) ?? untold, executable: false }]))

/** Apps run on Workers alone; what a lock has for kinds of machines is chosen as on the usual one. */
const machine = { os: "linux", cpu: "x64", libc: "glibc" }

const read = sourceLock({
  machine,
  satisfies,
  pnpm: () => ({
    _tag: "Refused",
    problems: [
      packageProblem(
        "lock_unavailable",
        `Of ${pnpmLockFile} nothing is read here. Make a package-lock.json of the same packages with \`npm install --package-lock-only\`, and commit that instead.`,
        { file: pnpmLockFile, line: null }
      )
    ]
  })
})

/** The answers; `commands` is whether something runs build commands. */
export const sourceAnswers = (commands: boolean): SourceCalls => ({
  commandOf: (outline) => Promise.resolve(commandOf(commands)(filesOf(outline))),
  assetsFolder: (settings, folders) => Promise.resolve(assetsFolder(settings, folders)),
  readLock: (files) => Promise.resolve(read(files))
})
