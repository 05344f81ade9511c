import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Machines from "./kit/Machines.ts"

const missing = Machines.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

describe.skipIf(missing !== null)("Machines of a fleet", () => {
  const shared = missing === null ? mkdtempSync(join(tmpdir(), "pawl-shared-")) : tmpdir()
  let network: Machines.Network
  let one: Machines.Machine
  let two: Machines.Machine

  beforeAll(async () => {
    network = await Machines.open()
    one = await network.machine("one")
    two = await network.machine("two")
  })
  afterAll(async () => {
    await network.close()
    rmSync(shared, { recursive: true })
  })

  const on = (machine: Machines.Machine, ...args: ReadonlyArray<string>) => {
    const [command = "", ...rest] = [...machine.wrap, ...args]
    return spawnSync(command, rest, { encoding: "utf8" })
  }
  const write = (machine: Machines.Machine, path: string) => on(machine, "sh", "-c", 'echo mine > "$0"', path)

  it("have no folder in common: what one writes is seen on no other, and nowhere else can it write", () => {
    expect(one.folder).toBe(two.folder)
    const file = join(one.folder, "file")
    expect(write(one, file).status).toBe(0)
    expect(on(one, "cat", file).stdout).toBe("mine\n")
    expect(on(two, "cat", file).status).not.toBe(0)
    expect(readFileSync(join(one.reached, "file"), "utf8")).toBe("mine\n")
    writeFileSync(join(shared, "seen"), "here\n")
    expect(on(one, "cat", join(shared, "seen")).stdout).toBe("here\n")
    const sources = fileURLToPath(new URL(".", import.meta.url))
    for (const place of [shared, tmpdir(), "/tmp", "/var/tmp", "/root", sources])
      expect([place, write(one, join(place, "file")).stderr]).toEqual([place, expect.stringContaining("Read-only")])
    expect(write(one, "/dev/shm/file").status).toBe(0)
    expect(on(two, "cat", "/dev/shm/file").status).not.toBe(0)
  })

  it("hear each other, but one whose cable is out", () => {
    const hears = () => on(one, "sh", "-c", `exec 2>&1; timeout 1 bash -c '</dev/tcp/${two.host}/9'`).stdout
    expect(hears()).toContain("Connection refused")
    two.cut()
    expect(hears()).not.toContain("Connection refused")
    two.mend()
    expect(hears()).toContain("Connection refused")
    expect(execFileSync("ip", ["-brief", "addr"], { encoding: "utf8" })).toContain(`pawl${process.pid}`)
  })
})
