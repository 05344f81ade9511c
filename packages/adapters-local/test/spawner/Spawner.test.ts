import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { Spawner } from "../../src/spawner/Spawner.ts"
import { outlive } from "../Processes.ts"
import { heard, shell, speaks } from "./Shell.ts"

const endings: Array<() => unknown> = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const freshFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-spawner-"))
  endings.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const openSpawner = async (): Promise<Spawner> => {
  const spawner = await Spawner.open(freshFolder())
  endings.push(() => spawner.close())
  return spawner
}

describe("a process that the spawner started", () => {
  it("is below the spawner, which is below the server, and gets nothing of the environment of either", async () => {
    const spawner = await openSpawner()
    const child = await spawner.start({ ...shell("echo $PPID; env"), env: { ONLY: "this" } })
    const [parent, ...environment] = (await heard(child, 1)).trim().split("\n")
    expect(Number(parent)).toBe(spawner.pid)
    expect(environment.filter((line) => !/^(PWD|_|SHLVL|OLDPWD)=/.test(line))).toEqual(["ONLY=this"])
  })

  it("holds no stream but those it was given, however many are started at once", async () => {
    const spawner = await openSpawner()
    const children = await Promise.all(
      Array.from({ length: 30 }, (_, at) => spawner.start(shell(`echo ${at}; ls -l /proc/self/fd | grep -c socket:`)))
    )
    // What `ls` says goes to `grep`.
    expect(await Promise.all(children.map((child) => heard(child, 1)))).toEqual(children.map((_, at) => `${at}\n2\n`))
  })

  it("ends when the spawner is closed, and none is started afterwards", async () => {
    const spawner = await Spawner.open(freshFolder())
    const child = await spawner.start(shell("echo up; exec sleep 1000"))
    await speaks(child)
    await spawner.close()
    expect(await child.ended).toMatchObject({ lost: true })
    expect(outlive([child.pid])).toEqual([])
    await expect(spawner.start(shell("exit 0"))).rejects.toThrow("the spawner was closed")
  })
})

describe("a spawner", () => {
  it("that is killed takes what it started along, says so, and is started anew for the next", async () => {
    const spawner = await openSpawner()
    const child = await spawner.start(shell("echo up; exec sleep 1000"))
    await speaks(child)
    const before = spawner.pid!
    process.kill(before, "SIGSTOP")
    const caught = spawner.start(shell("exit 0")).catch((error: unknown) => error)
    process.kill(before, "SIGKILL")
    expect(await child.ended).toEqual({ code: null, signal: "SIGKILL", lost: true })
    expect(await caught).toMatchObject({ message: expect.stringContaining("the spawner ended") })
    expect(outlive([before, child.pid])).toEqual([])
    expect(await heard(await spawner.start(shell("echo again")), 1)).toBe("again\n")
    expect(spawner.pid).not.toBe(before)
  })

  it("goes on when the whole group of processes is asked to stop: what it runs is the server's to end", async () => {
    const spawner = await openSpawner()
    expect(await heard(await spawner.start(shell("echo up")), 1)).toBe("up\n")
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(spawner.pid!, signal)
    expect(await heard(await spawner.start(shell("echo still")), 1)).toBe("still\n")
  })

  it("dies with a server that is killed, and so does what it started", async () => {
    const file = fileURLToPath(new URL("./Server.ts", import.meta.url))
    const server = spawn(process.execPath, ["--conditions=pawl-source", file, freshFolder()], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const said = await new Promise<string>((resolve) => {
      server.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()))
      server.once("exit", () => resolve("it ended"))
    })
    const pids = said.trim().split(" ").map(Number)
    expect(pids).toEqual([expect.any(Number), expect.any(Number)])
    const gone = new Promise((resolve) => server.once("exit", resolve))
    server.kill("SIGKILL")
    await gone
    expect(outlive(pids)).toEqual([])
  })
})
