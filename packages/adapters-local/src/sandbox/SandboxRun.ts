/** One job from spawn to end: fed, watched, killed when it must be, and cleared away. */
import { closeSync } from "node:fs"
import { constants } from "node:os"
import { type Duplex, Readable, type Writable } from "node:stream"
import type { SandboxJob, SandboxOutcome, SandboxResult } from "@pawl/core/verification/Sandbox"
import { LocalLimits } from "../LocalLimits.ts"
import { goingLast } from "../OwnProgram.ts"
import { cpuMilliseconds, type JobCgroup, killAll, oomKills, removeCgroup } from "./Cgroups.ts"
import { collect } from "./Collection.ts"
import { insideArgv, joining, type Launch } from "./Isolator.ts"
import { type JobMount, makeJobMount, needsMount } from "./JobMount.ts"
import { type JobProcess, startJob } from "./JobProcess.ts"
import { type Output, readBrief, readOutput } from "./OutputPipe.ts"
import { killTree, usageOf } from "./ProcessWatch.ts"
import { jobFolders } from "./SandboxRoot.ts"
import type { Supervisor } from "./Supervisor.ts"
import { type TarFile, tarOf } from "./TarStream.ts"

/** How a job ended; `lost` when the command never began, which says nothing about it. */
export type RunEnd = {
  readonly outcome: SandboxOutcome | { readonly _tag: "Lost"; readonly reason: string }
  readonly output: Uint8Array
  readonly outputTruncated: boolean
  /** Whether all that held the output pipe were dead in time. */
  readonly drained: boolean
  /** Of a command that exited with 0, what the job asked for. */
  readonly collected?: NonNullable<SandboxResult["collected"]>
}

/** One job. `kill` may be called at any time. */
export interface SandboxRun {
  /** Rejects with an `Error` when its process could not be started; `end` rejects then too, and for nothing else. */
  readonly started: Promise<unknown>
  readonly end: Promise<RunEnd>
  readonly kill: () => void
}

type Overrun = "wall" | "memory" | "cpu"

const signalNames = new Map<number, string>(
  Object.entries(constants.signals).map(([name, number]) => [number, name] as const)
)

/** As every shell says it: 128 + n is a death by signal n. */
const exitOf = (code: number): SandboxOutcome => {
  const signal = code > 128 && code < 160 ? signalNames.get(code - 128) : undefined
  return signal === undefined ? { _tag: "Exited", code } : { _tag: "Killed", signal }
}

const outcomeOf = (
  job: SandboxJob,
  overrun: Overrun | null,
  outOfMemory: boolean,
  ready: boolean,
  { code, lost, signal }: Awaited<JobProcess["ended"]>,
  said: string
): RunEnd["outcome"] => {
  if (lost) return { _tag: "Lost", reason: "who forks for it ended" }
  if (outOfMemory || overrun === "memory") return { _tag: "OutOfMemory" }
  if (overrun === "wall") return { _tag: "TimedOut", afterMs: job.limits.wallMs }
  if (overrun === "cpu") return { _tag: "Killed", signal: "SIGXCPU" }
  if (!ready) return { _tag: "Lost", reason: `the sandbox did not start: ${said === "" ? "no reason given" : said}` }
  return code === null ? { _tag: "Killed", signal: signal ?? "SIGKILL" } : exitOf(code)
}

/** Watches memory and CPU time. With cgroups the kernel bounds memory, and we end what it has begun to kill. */
const watch = (job: SandboxJob, cgroup: JobCgroup | null, pid: number, overrun: (what: Overrun) => void) => {
  const look = () => {
    const usage = cgroup?.memory && cgroup.cpu ? null : usageOf(pid)
    const cpuMs = cgroup?.cpu ? cpuMilliseconds(cgroup) : (usage?.cpuMs ?? 0)
    const tooMuch = cgroup?.memory ? oomKills(cgroup) > 0 : (usage?.memoryBytes ?? 0) > job.limits.memoryBytes
    if (tooMuch) overrun("memory")
    else if (cpuMs > job.limits.cpuSeconds * 1000) overrun("cpu")
  }
  const timers = [setInterval(look, LocalLimits.sandboxWatchMs), setTimeout(() => overrun("wall"), job.limits.wallMs)]
  return () => timers.forEach((timer) => clearTimeout(timer))
}

/** Whether the packages of a job stand where a file of the source would. */
export const isCovered = (job: SandboxJob, path: string): boolean =>
  job.packages !== undefined && path.startsWith("node_modules/")

const feed = (job: SandboxJob, stdin: Writable): void => {
  // A sandbox that ends early closes its side; how it ended is told elsewhere.
  stdin.on("error", () => undefined)
  const files = new Map<string, TarFile>()
  for (const [path, file] of job.files) if (!isCovered(job, path)) files.set(`work/${path}`, file)
  Readable.from(tarOf(jobFolders, files), { objectMode: false }).pipe(stdin)
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Waits until no process holds a pipe of the job, but not for ever. */
const drained = async (output: Output, closed: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), LocalLimits.sandboxEndMs)))
  const ended = await Promise.race([Promise.all([output.ended, closed]).then(() => true as const), late])
  clearTimeout(timer)
  output.close()
  return ended
}

const clear = async (folders: ReadonlyArray<string>): Promise<void> => {
  for (let waitedMs = 0; !removeCgroup(folders) && waitedMs < LocalLimits.sandboxEndMs; waitedMs += 1) {
    killAll(folders)
    await pause(1)
  }
}

interface Spawned {
  readonly child: JobProcess
  readonly cgroup: JobCgroup | null
  readonly readEnd: number
  /** Gives back what was taken for it; the cgroup only once it is empty. */
  readonly release: () => Promise<void>
}

const spawnJob = async (supervisor: Supervisor, job: SandboxJob, layer: string | null): Promise<Spawned> => {
  const cgroup = supervisor.makeCgroup(job.limits)
  const user = supervisor.takeUser()
  let launch: Launch | null = null
  let mount: JobMount | null = null
  const release = async () => {
    launch?.release()
    if (cgroup !== null) await clear(cgroup.folders)
    mount?.release()
    supervisor.returnUser(user)
  }
  try {
    const { limits } = job
    const inside = insideArgv(job, cgroup?.processes == null)
    const { root, privatePath } = supervisor
    mount = needsMount(job) ? makeJobMount(root, user, layer, limits.diskBytes) : null
    launch = supervisor.isolator.launch({ disk: mount?.place ?? null, limits, root, user, privatePath, inside })
    const argv = mount === null ? launch.argv : mount.around(launch.argv)
    const { forget, path, readEnd } = supervisor.outputPipe()
    try {
      const child = await startJob(supervisor.start, {
        argv: goingLast(joining(cgroup?.joinFiles ?? [], argv)),
        cwd: root.inner,
        output: path,
        hasLine: mount !== null
      })
      return { child, cgroup, readEnd, release }
    } catch (cause) {
      closeSync(readEnd)
      throw cause
    } finally {
      forget()
    }
  } catch (cause) {
    await release()
    throw cause
  }
}

/** What the process that keeps the disk says on its line: the exit code, once nothing inside lives. Null when it ends without. */
const keptCode = (line: Duplex): Promise<string | null> =>
  new Promise((resolve) => {
    let text = ""
    line.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1")
      if (text.includes("\n")) resolve(text.trim())
    })
    line.once("close", () => resolve(null)).once("error", () => resolve(null))
  })

/** Reads what is wanted back while the disk is kept, and then lets it go. `over` is told first: the time was the command's. */
const collecting = async (
  job: SandboxJob,
  { line, pid }: JobProcess,
  over: () => void
): Promise<RunEnd["collected"]> => {
  if (line === null) return undefined
  const code = await keptCode(line)
  over()
  try {
    return code === "0" && job.collect !== undefined ? await collect(`/proc/${pid}/cwd`, job.collect) : undefined
  } catch (cause) {
    return { _tag: "TooMuch", reason: cause instanceof Error ? cause.message : String(cause) }
  } finally {
    line.destroy()
  }
}

/** A job whose process is there: `kill` is for who ends it, `end` resolves when nothing of it is left. */
const running = (job: SandboxJob, { cgroup, child, readEnd, release }: Spawned) => {
  const output = readOutput(readEnd, job.limits.outputBytes)
  const diagnosis = readBrief(child.stderr)
  const ready = readBrief(child.ready)
  let overrun: Overrun | null = null
  const kill = () => {
    if (child.isThere()) killTree(child.pid)
    if (cgroup !== null) killAll(cgroup.folders)
  }
  const unwatch = watch(job, cgroup, child.pid, (what) => {
    overrun ??= what
    kill()
  })
  feed(job, child.stdin)
  const collected = collecting(job, child, unwatch)
  const end = child.ended.then(async (exit): Promise<RunEnd> => {
    unwatch()
    const found = await collected
    const inTime = await drained(output, child.closed)
    const killed = cgroup !== null && oomKills(cgroup) > 0
    const outcome = outcomeOf(job, overrun, killed, ready() !== "", exit, diagnosis())
    child.release()
    await release()
    const gave = found !== undefined && outcome._tag === "Exited" && outcome.code === 0 ? { collected: found } : {}
    return { outcome, output: output.bytes(), outputTruncated: output.truncated(), drained: inTime, ...gave }
  })
  return { end, kill }
}

/** Starts a job. `layer`: the `node_modules` on the host that its `packages` name. */
export const startRun = (supervisor: Supervisor, job: SandboxJob, layer: string | null = null): SandboxRun => {
  let kill: (() => void) | null = null
  let isUnwanted = false
  const started = spawnJob(supervisor, job, layer).then((spawned) => {
    const run = running(job, spawned)
    kill = run.kill
    if (isUnwanted) kill()
    return run
  })
  return {
    started,
    end: started.then(({ end }) => end),
    kill: () => {
      isUnwanted = true
      kill?.()
    }
  }
}
