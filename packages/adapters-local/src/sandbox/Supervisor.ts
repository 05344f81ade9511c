/** What all jobs of one isolation share: the root they see, the pipes, the cgroups and the uids. */
import type { SandboxJob } from "@pawl/core/verification/Sandbox"
import { cgroupOrNull, findCgroups, type JobCgroup } from "./Cgroups.ts"
import type { Isolator } from "./Isolator.ts"
import { makeOutputPipes, type OutputPipe } from "./OutputPipe.ts"
import { makeRunFolder, ownName, type RunFolder } from "./RunFolder.ts"
import { makeSandboxRoot, type SandboxRoot } from "./SandboxRoot.ts"
import { startHere } from "../spawner/StartHere.ts"
import type { Starter } from "../spawner/Starter.ts"
import type { Toolchain } from "./Toolchain.ts"

/** Lives as long as its isolation is used; `close` removes what it left on the machine. */
export interface Supervisor {
  readonly isolator: Isolator
  readonly root: SandboxRoot
  readonly privatePath: string
  /** Starts the processes of jobs. */
  readonly start: Starter
  readonly outputPipe: () => OutputPipe
  /** A uid that no other job of ours runs under; null when we are not root. */
  readonly takeUser: () => number | null
  readonly returnUser: (user: number | null) => void
  /** Null where there are no cgroups. */
  readonly makeCgroup: (limits: SandboxJob["limits"]) => JobCgroup | null
  readonly close: () => void
}

/** A range that distributions leave unused; each process of ours takes 256 uids of it. */
const firstUser = 1_900_000_000
const usersEach = 256

const ownUsers = (): ReadonlyArray<number> => {
  const first = firstUser + (process.pid % 65_536) * usersEach
  return Array.from({ length: usersEach }, (_, index) => first + index)
}

// One pool and one count for all supervisors of this process.
const freeUsers: Array<number> = process.getuid?.() === 0 ? [...ownUsers()] : []
let supervisors = 0

/** Without a free uid the one below the range serves: jobs then share it, and only it. */
const takeUser = (): number | null => (process.getuid?.() === 0 ? (freeUsers.shift() ?? firstUser - 1) : null)

const returnUser = (user: number | null): void => {
  if (user !== null && user >= firstUser) freeUsers.push(user)
}

const makeRoot = (folder: RunFolder, toolchain: Toolchain): SandboxRoot => {
  try {
    return makeSandboxRoot(folder.path, toolchain, process.getuid?.() === 0 ? ownUsers() : [])
  } catch (cause) {
    folder.remove()
    throw cause
  }
}

/** Throws when the folder cannot be made, and leaves nothing then. Without `start` it forks this process. */
export const makeSupervisor = (
  isolator: Isolator,
  toolchain: Toolchain,
  { cgroups: withCgroups = true, start = startHere }: { readonly cgroups?: boolean; readonly start?: Starter } = {}
): Supervisor => {
  const name = `${ownName()}-${supervisors++}`
  const cgroups = withCgroups ? findCgroups() : null
  const folder = makeRunFolder()
  const root = makeRoot(folder, toolchain)
  let jobs = 0
  return {
    isolator,
    root,
    privatePath: folder.privatePath,
    start,
    outputPipe: makeOutputPipes(folder.privatePath),
    takeUser,
    returnUser,
    makeCgroup: (limits) => (cgroups === null ? null : cgroupOrNull(cgroups, `${name}-${jobs++}`, limits)),
    close: () => folder.remove()
  }
}
