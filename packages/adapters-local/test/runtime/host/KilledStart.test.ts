import { execFileSync, spawn } from "node:child_process"
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { cleanEnvironment, confine, writeShared } from "../../../src/runtime/host/RuntimeIsolation.ts"
import { nameOf, outlive, processesBelow } from "../../Processes.ts"

const folder = mkdtempSync(join(tmpdir(), "pawl-killed-start-"))
await writeShared(folder)
const confinement = await confine(folder, ["bubblewrap"]).catch(() => null)
if (confinement === null) console.warn("SKIPPED: bubblewrap cannot be run here: apt-get install bubblewrap")

/** The command of an app's process whose walls are not finished before something is written to descriptor 3. */
const halfWalled = (command: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = command.lastIndexOf("bwrap") + 1
  return [...command.slice(0, at), "--block-fd", "3", ...command.slice(at)]
}

describe.skipIf(confinement === null)("an app's process", () => {
  it("that is killed while its walls are built leaves nothing behind", async () => {
    const gate = join(folder, "gate")
    execFileSync("mkfifo", [gate])
    // Open in both directions: it has no end, whoever dies.
    const descriptor = openSync(gate, constants.O_RDWR)
    const [file = "", ...args] = halfWalled(confinement!.command(folder, folder, ["--version"]))
    const child = spawn(file, args, { cwd: "/", env: cleanEnvironment, stdio: ["pipe", "pipe", "pipe", descriptor] })
    const ended = new Promise((resolve) => child.once("exit", resolve))
    try {
      // The one that watches, and the one inside that waits for its walls.
      const builders = () => [child.pid!, ...processesBelow(child.pid!)].filter((pid) => nameOf(pid) === "bwrap")
      await vi.waitFor(() => expect(builders().length).toBe(2), 20_000)
      const all = [child.pid!, ...processesBelow(child.pid!)]
      child.kill("SIGKILL")
      await ended
      expect(outlive(all)).toEqual([])
    } finally {
      writeSync(descriptor, "on")
      closeSync(descriptor)
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
