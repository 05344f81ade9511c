/** One job from spawn to end: fed, watched, killed when it must be, and cleared away. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync } from "node:fs"
import { constants } from "node:os"
import { Duplex, Readable } from "node:stream"
import type { SandboxJob, SandboxOutcome, SandboxResult } from "@pawl/core/verification/Sandbox"
import { LocalLimits } from "../LocalLimits.ts"
import { goingLast } from "../OwnProgram.ts"
import { cpuMilliseconds, type JobCgroup, killAll, oomKills, removeCgroup } from "./Cgroups.ts"
import { collect } from "./Collection.ts"
import { insideArgv, joining, type Launch } from "./Isolator.ts"
import { type JobMount, keeperDescriptor, makeJobMount, needsMount } from "./JobMount.ts"
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

/** One job that was started. `end` never rejects; `kill` may be called at any time. */
export interface SandboxRun {
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
  child: ChildProcess,
  said: string
): RunEnd["outcome"] => {
  if (outOfMemory || overrun === "memory") return { _tag: "OutOfMemory" }
  if (overrun === "wall") return { _tag: "TimedOut", afterMs: job.limits.wallMs }
  if (overrun === "cpu") return { _tag: "Killed", signal: "SIGXCPU" }
  if (!ready) return { _tag: "Lost", reason: `the sandbox did not start: ${said === "" ? "no reason given" : said}` }
  if (child.exitCode !== null) return exitOf(child.exitCode)
  return { _tag: "Killed", signal: child.signalCode ?? "SIGKILL" }
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

const feed = (job: SandboxJob, stdin: NodeJS.WritableStream | null): void => {
  if (stdin === null) return
  // A sandbox that ends early closes its side; how it ended is told elsewhere.
  stdin.on("error", () => undefined)
  const files = new Map<string, TarFile>()
  for (const [path, file] of job.files) if (!isCovered(job, path)) files.set(`work/${path}`, file)
  Readable.from(tarOf(jobFolders, files), { objectMode: false }).pipe(stdin)
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Waits until no process holds a pipe of the job, but not for ever. */
const drained = async (output: Output, closed: Promise<void>): Promise<boolean> => {
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
  readonly child: ChildProcess
  readonly cgroup: JobCgroup | null
  readonly readEnd: number
  /** Gives back what was taken for it; the cgroup only once it is empty. */
  readonly release: () => Promise<void>
}

const spawnJob = (supervisor: Supervisor, job: SandboxJob, layer: string | null): Spawned => {
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
    const { covers, root, privatePath } = supervisor
    mount = needsMount(job) ? makeJobMount(root, user, layer, limits.diskBytes) : null
    launch = supervisor.isolator.launch({ disk: mount?.place ?? null, limits, root, user, privatePath, inside })
    const argv = mount === null ? launch.argv : mount.around(launch.argv)
    const [file = "/bin/sh", ...args] = goingLast(joining(cgroup?.joinFiles ?? [], argv))
    const { readEnd, writeEnd } = supervisor.outputPipe()
    const child = spawn(file, args, {
      cwd: root.inner,
      // Nothing of ours: the first process of the sandbox keeps what it is given, for all inside to read.
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
      stdio: ["pipe", writeEnd, "pipe", "pipe", ...(mount === null ? covers : ["pipe" as const, ...covers.slice(1)])]
    })
    closeSync(writeEnd)
    return { child, cgroup, readEnd, release }
  } catch (cause) {
    void release()
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
const collecting = async (job: SandboxJob, child: ChildProcess, over: () => void): Promise<RunEnd["collected"]> => {
  const line = needsMount(job) ? child.stdio[keeperDescriptor] : null
  if (!(line instanceof Duplex)) return undefined
  const code = await keptCode(line)
  over()
  try {
    return code === "0" && job.collect !== undefined ? await collect(`/proc/${child.pid}/cwd`, job.collect) : undefined
  } catch (cause) {
    return { _tag: "TooMuch", reason: cause instanceof Error ? cause.message : String(cause) }
  } finally {
    line.destroy()
  }
}

/**
 * Starts a job. Throws when it cannot be spawned; everything after that is told by `end`. `layer`: the `node_modules` on
 * the host that its `packages` name.
 */
export const startRun = (supervisor: Supervisor, job: SandboxJob, layer: string | null = null): SandboxRun => {
  const { child, cgroup, readEnd, release } = spawnJob(supervisor, job, layer)
  const output = readOutput(readEnd, job.limits.outputBytes)
  const diagnosis = readBrief(child.stderr)
  const ready = readBrief(child.stdio[3] instanceof Readable ? child.stdio[3] : null)
  let overrun: Overrun | null = null
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killTree(child.pid)
    if (cgroup !== null) killAll(cgroup.folders)
  }
  const unwatch = watch(job, cgroup, child.pid ?? 0, (what) => {
    overrun ??= what
    kill()
  })
  let failure = ""
  child.once("error", (cause) => (failure = cause.message))
  feed(job, child.stdin)
  const on = (event: "exit" | "close") =>
    new Promise<void>((resolve) => child.once(event, () => resolve()).once("error", () => resolve()))
  const closed = on("close")
  const collected = collecting(job, child, unwatch)
  const end = on("exit").then(async (): Promise<RunEnd> => {
    unwatch()
    const found = await collected
    const inTime = await drained(output, closed)
    const killed = cgroup !== null && oomKills(cgroup) > 0
    const outcome = outcomeOf(job, overrun, killed, ready() !== "", child, diagnosis() || failure)
    child.stdio.forEach((stream) => stream?.destroy())
    await release()
    const gave = found !== undefined && outcome._tag === "Exited" && outcome.code === 0 ? { collected: found } : {}
    return { outcome, output: output.bytes(), outputTruncated: output.truncated(), drained: inTime, ...gave }
  })
  return { end, kill }
}
