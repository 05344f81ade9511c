/**
 * Machines of one network: each has a network namespace and a mount namespace of its own. What is on disk is read-only to
 * all of them but for one folder, which is another one on each. They end with this process, whatever becomes of it.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Place } from "../../../../adapters-local/test/Place.ts"

/** A machine. */
export interface Machine {
  readonly name: string
  /** Its address in the network, which this process reaches too. */
  readonly host: string
  /** Its own folder, as it sees it: the same path on each, and another folder. */
  readonly folder: string
  /** Its own folder, as this process reaches it. */
  readonly reached: string
  /** Puts a command onto it. */
  readonly wrap: ReadonlyArray<string>
  /** A place on it for a server, in a new folder of this name. */
  readonly place: (name: string) => Place
  /** Takes its cable out: nothing comes and nothing goes, and nobody is told. */
  readonly cut: () => void
  /** Puts it back. */
  readonly mend: () => void
}

/** Machines that see each other. */
export interface Network {
  readonly machine: (name: string) => Promise<Machine>
  readonly close: () => Promise<void>
}

const programs = ["ip", "nsenter", "unshare", "setpriv", "mount"]

/** Why this machine cannot have others in it; null when it can. */
export const whyNot = (): string | null => {
  const missing = programs.filter((program) => spawnSync(program, ["--help"]).error !== undefined)
  if (missing.length > 0) return `no machines (missing: ${missing.join(", ")}): apt-get install iproute2 util-linux`
  return spawnSync("unshare", ["--net", "--mount", "ip", "link", "add", "br0", "type", "bridge"]).status === 0
    ? null
    : "no machines: network and mount namespaces and a bridge in them need root"
}

/** The disk is for reading, but for one folder; memory that is shared by name is the machine's own too. */
const mounts = `
set -e
mount --make-rprivate /
mount -o remount,bind,ro /
for place in /tmp /var /var/tmp /home; do if mountpoint -q "$place"; then mount -o remount,bind,ro "$place"; fi; done
if mountpoint -q /dev/shm; then mount -t tmpfs -o mode=1777 none /dev/shm; fi
mount -t tmpfs -o mode=0755 none "$0"
ip link set lo up
`

/** Runs a program that must end well. */
const must = (command: string, args: ReadonlyArray<string>): void => {
  const { status, stderr } = spawnSync(command, [...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}`)
}

/** A process that holds namespaces until its input ends, which it does when this process dies, too. */
const hold = async (
  script: string,
  folder: string
): Promise<{ readonly child: ChildProcess; readonly pid: number }> => {
  const holding = `${script}\necho ready\nexec cat`
  const child = spawn("unshare", ["--net", "--mount", "sh", "-c", holding, folder], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  await Promise.race([
    once(child.stdout!, "data"),
    once(child, "close").then(() => {
      throw new Error("a machine could not be made")
    })
  ])
  if (child.pid === undefined) throw new Error("a machine has no process")
  return { child, pid: child.pid }
}

/** A network of 198.18.0.0/15, which is for such tests. Each test process has one of its own. */
const prefixOf = (number: number): string => `198.${18 + ((number >> 8) & 1)}.${number & 255}`

/** Makes a network, of which this process is a part. */
export const open = async (): Promise<Network> => {
  const prefix = prefixOf(process.pid)
  const folder = mkdtempSync(join(tmpdir(), "pawl-machine-"))
  const holders: Array<ChildProcess> = []
  const net = await hold("ip link set lo up", folder)
  holders.push(net.child)
  const atSwitch = (...args: ReadonlyArray<string>) => must("nsenter", [`--target=${net.pid}`, "--net", "ip", ...args])
  atSwitch("link", "add", "br0", "type", "bridge")
  atSwitch("link", "set", "br0", "up")
  // The end of it that is here goes with the other one, and that with the namespace.
  const ours = `pawl${process.pid}`
  must("ip", ["link", "add", ours, "type", "veth", "peer", "name", "v0", "netns", String(net.pid)])
  atSwitch("link", "set", "v0", "master", "br0", "up")
  must("ip", ["addr", "add", `${prefix}.1/24`, "dev", ours])
  must("ip", ["link", "set", ours, "up"])
  let port = 20_000
  const machine = async (name: string): Promise<Machine> => {
    const number = holders.length + 1
    const host = `${prefix}.${number}`
    const cable = `v${number}`
    const { child, pid } = await hold(mounts, folder)
    holders.push(child)
    const within = (...args: ReadonlyArray<string>) => must("nsenter", [`--target=${pid}`, "--net", "ip", ...args])
    atSwitch("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", String(pid))
    atSwitch("link", "set", cable, "master", "br0", "up")
    within("addr", "add", `${host}/24`, "dev", "eth0")
    within("link", "set", "eth0", "up")
    const wrap = ["nsenter", `--target=${pid}`, "--net", "--mount", "--"]
    const reached = join(`/proc/${pid}/root`, folder)
    return {
      name,
      host,
      folder,
      reached,
      wrap,
      place: (part) => {
        mkdirSync(join(reached, part), { mode: 0o755 })
        return {
          address: () => ({ host, port: port++ }),
          folder: join(folder, part),
          reached: join(reached, part),
          wrap
        }
      },
      cut: () => atSwitch("link", "set", cable, "down"),
      mend: () => atSwitch("link", "set", cable, "up")
    }
  }
  const close = async () => {
    const ends = holders.map((holder) => once(holder, "close"))
    for (const holder of holders) holder.stdin?.end()
    await Promise.all(ends)
    rmSync(folder, { recursive: true, force: true })
  }
  return { machine, close }
}
