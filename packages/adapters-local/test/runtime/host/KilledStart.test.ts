import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { hostArguments } from "../../../src/runtime/host/HostConfig.ts"
import { cleanEnvironment, confine, everyIsolation, writeShared } from "../../../src/runtime/host/RuntimeIsolation.ts"
import { nameOf, outlive, processesBelow } from "../../Processes.ts"

const folder = mkdtempSync(join(tmpdir(), "pawl-killed-start-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
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
    }
  })
})

const ways = (await Promise.all(everyIsolation.map((name) => confine(folder, [name]).catch(() => null)))).filter(
  (way) => way !== null
)

describe("an app's process whose starter died before it could ask to die with it", () => {
  it.each(ways.map((way) => [way.isolation.name, way] as const))(
    "ends by itself, for nobody is there to give it its configuration (%s)",
    async (name, { command, socketFolder }) => {
      const own = join(folder, name)
      mkdirSync(own)
      const [file = "", ...args] = command(folder, own, hostArguments(socketFolder(own)))
      // What it would read its configuration from is at its end, as a stream of one who died is. Its real starter lives.
      const child = spawn(file, args, {
        cwd: "/",
        env: cleanEnvironment,
        stdio: ["ignore", "ignore", "pipe", "pipe"]
      })
      let said = ""
      child.stderr!.setEncoding("utf8").on("data", (text: string) => (said += text))
      const [code] = await once(child, "close")
      expect([code, said]).toEqual([1, expect.stringContaining("Premature end of file")])
    }
  )
})
