/** What a process is promised by whoever forks it: this process itself, or a spawner. */
import { execFileSync } from "node:child_process"
import { constants, mkdtempSync, openSync, rmSync } from "node:fs"
import { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Spawner } from "../../src/spawner/Spawner.ts"
import type { Starter } from "../../src/spawner/Starter.ts"
import { startHere } from "../../src/spawner/StartHere.ts"
import { outlive } from "../Processes.ts"
import { heard, shell, speaks } from "./Shell.ts"

const folder = mkdtempSync(join(tmpdir(), "pawl-starter-"))
let spawner: Spawner
beforeAll(async () => {
  spawner = await Spawner.open(folder)
})
afterAll(async () => {
  await spawner.close()
  rmSync(folder, { recursive: true, force: true })
})

const starters: ReadonlyArray<readonly [string, Starter]> = [
  ["by this process", startHere],
  ["by a spawner", (command) => spawner.start(command)]
]

describe.each(starters)("a process that was started %s", (who, start) => {
  it("is fed, heard and ended", async () => {
    const child = await start(shell("cat; echo words >&2; echo three >&3; exit 7", 4))
    const all = Promise.all([heard(child, 1), heard(child, 2), heard(child, 3)])
    child.streams[0]!.end("x".repeat(1_000_000))
    expect(await all).toEqual(["x".repeat(1_000_000), "words\n", "three\n"])
    expect(await child.ended).toEqual({ code: 7, signal: null, lost: false })
    await child.closed
    expect(child.isThere()).toBe(false)
  })

  it("writes to a named pipe in place of a stream, beside the others, and has no other", async () => {
    const output = join(folder, `output ${who}`)
    execFileSync("mkfifo", [output])
    const readEnd = openSync(output, constants.O_RDONLY | constants.O_NONBLOCK)
    const script = shell("echo to the pipe; echo ready >&3; cat >&4", 5)
    const child = await start({ ...script, output, covered: true })
    // Not before: of a pipe that nobody has open to write, this is the end.
    const written = new Socket({ fd: readEnd, readable: true, writable: false })
    expect(child.streams.map((stream) => stream !== undefined)).toEqual([true, false, true, true, true])
    child.streams[0]!.end("fed")
    expect(await Promise.all([heard(child, 3), heard(child, 4), text(written)])).toEqual([
      "ready\n",
      "fed",
      "to the pipe\n"
    ])
    expect(await child.ended).toEqual({ code: 0, signal: null, lost: false })
  })

  it("is refused with the reason when its named pipe is not there", async () => {
    await expect(start({ ...shell("true"), output: "/no/such/pipe" })).rejects.toThrow(/ENOENT/)
  })

  it("is killed when it is asked for, and that is told", async () => {
    const child = await start(shell("echo up; exec sleep 1000"))
    await speaks(child)
    child.kill()
    expect(await child.ended).toEqual({ code: null, signal: "SIGKILL", lost: false })
    await child.closed
    child.kill()
  })

  it("is refused with the reason when there is no such program, and the next one is started", async () => {
    await expect(start({ ...shell(""), file: "/no/such/program" })).rejects.toThrow(/ENOENT/)
    expect(await heard(await start(shell("echo next")), 1)).toBe("next\n")
  })

  it("takes its group with it when it is killed, also what outlives it, until nobody holds a stream of it", async () => {
    for (const script of ["sleep 1000 & echo $!; wait", "sleep 1000 & echo $!"]) {
      const child = await start({ ...shell(script), ownGroup: true })
      const left = Number(await speaks(child))
      for (const stream of child.streams.slice(1)) stream?.resume()
      if (!script.endsWith("wait")) await child.ended
      child.kill()
      await child.closed
      expect(outlive([left])).toEqual([])
      // Its number may be another's by now.
      child.kill()
    }
  })

  it("leaves what it began when it has no group of its own", async () => {
    const child = await start(shell("sleep 1000 >/dev/null 2>&1 <&- & echo $!; wait"))
    const left = Number(await speaks(child))
    for (const stream of child.streams.slice(1)) stream?.resume()
    child.kill()
    await child.closed
    expect(() => process.kill(left, "SIGKILL")).not.toThrow()
  })
})
