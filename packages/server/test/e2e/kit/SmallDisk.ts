/** A file system of a few mebibytes, which a test can fill. It stands in a mount namespace of its own, and goes with it. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs"
import { join } from "node:path"

export interface SmallDisk {
  /** Puts a command onto the disk: there it sees the disk at the folder. */
  readonly wrap: ReadonlyArray<string>
  /** Takes space until no more than this is left. */
  readonly fillTo: (leftBytes: number) => void
  /** Gives back all that was taken. */
  readonly clear: () => void
  readonly end: () => Promise<void>
}

/** Root mounts in a mount namespace alone; anybody else needs a user namespace of their own too. */
const namespaces = [
  { make: ["--mount"], join: ["--mount"] },
  { make: ["--user", "--map-root-user", "--mount"], join: ["--user", "--preserve-credentials", "--mount"] }
]
const mounting = ["sh", "-c", 'mount -t tmpfs -o "size=$0,mode=0700" none "$1" && shift && exec "$@"']

const offered = namespaces.find(
  ({ make }) => spawnSync("unshare", [...make, ...mounting, "1m", "/tmp", "nsenter", "--version"]).status === 0
)

/** Why this machine cannot do it; null when it can. */
export const smallDisksMissing: string | null =
  offered === undefined ? "needs unshare, nsenter and the right to mount a tmpfs in a namespace" : null

const ready = async (holder: ChildProcess): Promise<number> => {
  const [said] = await Promise.race([
    once(holder.stdout!, "data"),
    once(holder, "close").then(() => {
      throw new Error("the small disk was not mounted")
    })
  ])
  if (holder.pid === undefined) throw new Error(`no process, but it said ${String(said)}`)
  return holder.pid
}

/** Mounts a disk at `folder`, which must exist. */
export const makeSmallDisk = async (folder: string, sizeMiB: number): Promise<SmallDisk> => {
  if (offered === undefined) throw new Error(smallDisksMissing ?? "")
  // `cat` holds the namespace until its input ends, which it does when this process dies, too.
  const holder = spawn(
    "unshare",
    [...offered.make, ...mounting, `${sizeMiB}m`, folder, "sh", "-c", "echo mounted; exec cat"],
    { stdio: ["pipe", "pipe", "inherit"] }
  )
  const pid = await ready(holder)
  const inside = join(`/proc/${pid}/root`, folder)
  const filler = join(inside, "filler")
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(inside)
    return bavail * bsize
  }
  return {
    wrap: ["nsenter", `--target=${pid}`, ...offered.join, "--"],
    fillTo: (leftBytes) => {
      const file = openSync(filler, "a")
      const page = Buffer.alloc(4096)
      try {
        while (freeBytes() > leftBytes) writeSync(file, page)
      } catch (error) {
        // Somebody else took the last page.
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error
      } finally {
        closeSync(file)
      }
    },
    clear: () => rmSync(filler, { force: true }),
    end: async () => {
      const ended = once(holder, "close")
      holder.stdin.end()
      await ended
    }
  }
}
