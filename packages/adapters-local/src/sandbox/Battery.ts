/**
 * Proves an isolation before it is trusted: a few short jobs, run together, that try what hostile code would try.
 * A guarantee is in force only when its attempt failed here, on this machine, now.
 */
import { randomInt } from "node:crypto"
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import type { Guarantee, SandboxJob } from "@pawl/core/verification/Sandbox"
import { textOf } from "@pawl/core/primitives/Utf8"
import { LocalLimits } from "../LocalLimits.ts"
import { Result, Schema } from "effect"
import { ProbeReport, probeProgram, type ProbeTask } from "./Probe.ts"
import { type RunEnd, startRun } from "./SandboxRun.ts"
import type { Supervisor } from "./Supervisor.ts"

/** Each guarantee to what speaks against it; null when it is proved. */
export type Findings = Readonly<Record<Guarantee, string | null>>

const MiB = 1024 * 1024
const encoder = new TextEncoder()

const jobOf = (
  command: string,
  limits: Partial<SandboxJob["limits"]> = {},
  more: Partial<SandboxJob> = {}
): SandboxJob => ({
  id: "proof",
  command,
  files: new Map(),
  environment: {},
  limits: {
    wallMs: LocalLimits.sandboxProofMs,
    cpuSeconds: 5,
    memoryBytes: 512 * MiB,
    processes: 256,
    diskBytes: 4 * MiB,
    outputBytes: 64 * 1024,
    ...limits
  },
  ...more
})

/** The host's side of the attempts: sockets that must not be reached, a secret that must not be read. */
const bait = async (supervisor: Supervisor) => {
  const folder = join(supervisor.root.outer, "..")
  const nonce = `${process.pid}-${randomInt(2 ** 40)}`
  const secret = join(folder, `secret-${nonce}`)
  const socket = join(folder, `socket-${nonce}`)
  writeFileSync(secret, nonce, { mode: 0o644 })
  let visits = 0
  const servers: Array<Server> = []
  const listen = (where: { readonly path: string } | { readonly port: number; readonly host: string }) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((visitor) => {
        visits++
        visitor.destroy()
      })
      servers.push(server)
      server.once("error", reject).listen(where, () => resolve(server))
    })
  const clear = () => {
    servers.forEach((server) => server.close())
    rmSync(secret, { force: true })
  }
  try {
    const abstract = `\0pawl-proof-${nonce}`
    const tcp = await listen({ port: 0, host: "127.0.0.1" })
    await Promise.all([listen({ path: socket }), listen({ path: abstract })])
    chmodSync(socket, 0o777)
    const address = tcp.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const daemon = `86400.${randomInt(2 ** 40)}`
    const task: ProbeTask = { port, sockets: [socket, abstract], secrets: [secret], daemon }
    return { task, visits: () => visits, clear }
  } catch (cause) {
    clear()
    throw cause
  }
}

const runs = (name: string): boolean =>
  readdirSync("/proc").some((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(name)
    } catch {
      return false
    }
  })

const probe = (task: ProbeTask): SandboxJob =>
  jobOf(
    `( ( setsid sleep ${task.daemon} & ) & ); node probe.cjs`,
    {},
    {
      files: new Map([["probe.cjs", { content: encoder.encode(probeProgram), executable: false }]]),
      environment: { PROBE: JSON.stringify(task) }
    }
  )

const attempts = (task: ProbeTask) => ({
  probe: probe(task),
  // One buffer of 128 MiB, filled again and again: whoever looks now and then sees it too.
  memory: jobOf(`dd if=/dev/zero of=/dev/null bs=134217728 count=2000`, { memoryBytes: 64 * MiB }),
  processes: jobOf(`i=0; while [ $i -lt 100 ]; do sleep 60 & i=$((i+1)); done; echo all`, {
    processes: 24,
    wallMs: 2000
  }),
  disk: jobOf(
    `for f in /job/work/a /tmp/b /dev/shm/c; do head -c 5000000 /dev/zero > $f && echo filled; done; head -c 200000 /dev/zero`
  ),
  cpu: jobOf(`while :; do :; done`, { cpuSeconds: 0.05, wallMs: 3000 }),
  time: jobOf(`sleep 60`, { wallMs: 150 })
})

type Ends = Readonly<Record<keyof ReturnType<typeof attempts>, RunEnd>>

const told = ({ outcome }: RunEnd): string => (outcome._tag === "Lost" ? outcome.reason : JSON.stringify(outcome))

const unless = (proved: boolean, reason: string): string | null => (proved ? null : reason)

const limitFindings = (ends: Ends) => {
  const disk = textOf(ends.disk.output.subarray(0, 100))
  const forked = textOf(ends.processes.output).includes("all")
  return {
    "memory-limited": unless(ends.memory.outcome._tag === "OutOfMemory", `a hog ended as ${told(ends.memory)}`),
    "processes-limited": unless(!forked && ends.processes.outcome._tag !== "Lost", "100 processes under a limit of 24"),
    "disk-limited": unless(
      ends.disk.outcome._tag === "Exited" && !disk.includes("filled"),
      "the disk took more than its size"
    ),
    "output-limited": unless(
      ends.disk.outputTruncated && ends.disk.output.length === 64 * 1024,
      "the output was not cut"
    ),
    "cpu-limited": unless(
      ends.cpu.outcome._tag === "Killed" && ends.cpu.outcome.signal === "SIGXCPU",
      `a loop ended as ${told(ends.cpu)}`
    ),
    "time-limited": unless(ends.time.outcome._tag === "TimedOut", `a sleeper ended as ${told(ends.time)}`)
  } as const
}

const allowedVariables = ["PATH", "HOME", "LANG", "PWD", "PROBE", "_", "SHLVL"]

const wallFindings = (report: ProbeReport, visits: number, drained: boolean, daemonLeft: boolean) => {
  const network = [...report.reached, ...report.interfaces, ...(visits > 0 ? [`${visits} visits`] : [])]
  const foreign = report.variables.filter((name) => !allowedVariables.includes(name))
  const powers = report.capabilities.filter((set) => !/^0+$/.test(set))
  // Who is not root cannot make anyone root of the host; the map then ends at our own uid.
  const dropped = report.uid !== 0 && (process.getuid?.() !== 0 || report.hostUid !== 0) && !report.groups.includes(0)
  return {
    "network-denied": unless(network.length === 0, `reached: ${network.join(", ")}`),
    "host-files-hidden": unless(report.seen.length === 0, `seen: ${report.seen.join(", ")}`),
    "clean-environment": unless(foreign.length === 0, `variables: ${foreign.join(", ")}`),
    "read-only-system": unless(report.written.length === 0, `written: ${report.written.join(", ")}`),
    "daemons-killed": unless(report.daemonAlive && drained && !daemonLeft, "a daemon outlived its job"),
    "user-dropped": unless(dropped, `uid ${report.uid}, on the host ${report.hostUid}`),
    "capabilities-dropped": unless(powers.length === 0 && !report.userNamespace, "capabilities can be had"),
    "no-new-privileges": unless(report.noNewPrivileges, "privileges can be gained"),
    "system-calls-filtered": unless(report.filtered, "there is no filter of system calls")
  } as const
}

const unproved = (reason: string) =>
  ({
    "network-denied": reason,
    "host-files-hidden": reason,
    "clean-environment": reason,
    "read-only-system": reason,
    "daemons-killed": reason,
    "user-dropped": reason,
    "capabilities-dropped": reason,
    "no-new-privileges": reason,
    "system-calls-filtered": reason
  }) as const

const decodeReport = Schema.decodeUnknownResult(Schema.fromJsonString(ProbeReport))

/** Runs the battery: under a second on two cores. Rejects when a job cannot be spawned at all. */
export const prove = async (supervisor: Supervisor): Promise<Findings> => {
  const { task, visits, clear } = await bait(supervisor)
  try {
    const jobs = attempts(task)
    const run = (job: SandboxJob) => startRun(supervisor, job).end
    const [probed, memory, processes, disk, cpu, time] = await Promise.all([
      run(jobs.probe),
      run(jobs.memory),
      run(jobs.processes),
      run(jobs.disk),
      run(jobs.cpu),
      run(jobs.time)
    ])
    const report = decodeReport(textOf(probed.output).trim())
    const walls = Result.isSuccess(report)
      ? wallFindings(report.success, visits(), probed.drained, runs(task.daemon))
      : unproved(`the probe ended as ${told(probed)}: ${textOf(probed.output).slice(-LocalLimits.sandboxProofLength)}`)
    return { ...walls, ...limitFindings({ probe: probed, memory, processes, disk, cpu, time }) }
  } finally {
    clear()
  }
}
