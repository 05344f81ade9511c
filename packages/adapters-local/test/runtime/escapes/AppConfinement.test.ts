import { spawn } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { ask, bodyText } from "@pawl/testing/contracts/apps/AppRuntimeContract"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { describeRuntimeIsolation } from "../../../src/runtime/host/RuntimeIsolation.ts"
import { nameOf, outlive, processesBelow } from "../../Processes.ts"
import { freshFolder, install, openWorld } from "../RuntimeWorld.ts"

/** The workerd processes below a process. */
const workerdsUnder = (root: number): ReadonlyArray<number> =>
  processesBelow(root).filter((pid) => nameOf(pid) === "workerd")
const awaitEnd = (pids: ReadonlyArray<number>) => {
  expect(pids.length).toBeGreaterThan(0)
  expect(outlive(pids)).toEqual([])
}

const main = `export default { async fetch(request, env) { await env.DATA.put("a", "b"); return new Response(await env.DATA.get("a")) } }`
const serve = (world: ReturnType<typeof openWorld>) =>
  world.runPromise(
    Effect.gen(function* () {
      const version = yield* install({ main }, "p@confined")
      const response = yield* Effect.flatMap(AppRuntime, (runtime) =>
        runtime.fetch(version, ask("http://a.apps.localhost/"))
      )
      return yield* Effect.promise(() => bodyText(response.body))
    })
  )

const isolation = await Effect.runPromise(describeRuntimeIsolation)

/** What this machine has, strongest first. */
const confinements = isolation?.name === "bubblewrap" ? (["bubblewrap", "unshare"] as const) : (["unshare"] as const)

// Without it, the cases of bubblewrap below are left out; this suite says so in the list of what was skipped.
describe.skipIf(isolation?.name !== "bubblewrap")("an app's process in bubblewrap (needs bubblewrap)", () => {
  it("is shut in by it where it is installed, with no network and no host files", () => {
    expect(isolation?.guarantees).toEqual(expect.arrayContaining(["network-denied", "host-files-hidden"]))
  })
})

describe("an app's process is shut in", () => {
  it("says which isolation is in force", () => {
    expect(isolation).toMatchObject({ name: expect.stringMatching(/^(bubblewrap|unshare|none)$/) })
    expect(isolation?.remedy === null).toBe(isolation?.guarantees.includes("network-denied"))
  })

  it.each(confinements)("sees no host file, no network device and no other process in %s", async (name) => {
    const world = openWorld({ isolations: [name] })
    let pids: ReadonlyArray<number> = []
    try {
      expect(await serve(world)).toBe("b")
      pids = workerdsUnder(process.pid)
      for (const pid of pids) {
        const view = `/proc/${pid}/root`
        expect(
          readdirSync(view).filter(
            (one) => !["dev", "host", "lib", "lib64", "run", "usr", "workerd", "setpriv"].includes(one)
          )
        ).toEqual([])
        for (const path of ["etc/passwd", "proc/1", "tmp", "home", "root", "usr/bin", "bin", "work"])
          expect(existsSync(join(view, path))).toBe(false)
        expect(
          readFileSync(`/proc/${pid}/net/dev`, "utf8")
            .split("\n")
            .slice(2)
            .map((line) => line.split(":")[0]?.trim())
            .filter((one) => one !== "")
        ).toEqual(["lo"])
        for (const space of ["net", "mnt", "pid", "ipc", "uts"])
          expect(readlinkSync(`/proc/${pid}/ns/${space}`)).not.toBe(readlinkSync(`/proc/self/ns/${space}`))
        const status = readFileSync(`/proc/${pid}/status`, "utf8")
        expect(status).toMatch(/^CapEff:\t0+$/m)
        expect(status).toMatch(/^NoNewPrivs:\t1$/m)
        if (isolation?.guarantees.includes("system-calls-filtered")) expect(status).toMatch(/^Seccomp:\t2$/m)
        expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toMatch(/HOME|USER|TOKEN|PAWL/)
        if (process.getuid?.() === 0) expect(status).not.toMatch(/^Uid:\t0\t/m)
      }
    } finally {
      await world.dispose()
    }
    awaitEnd(pids)
  })

  it("still serves where there is no isolation at all", async () => {
    const world = openWorld({ isolations: ["none"] })
    expect(await serve(world)).toBe("b")
    const pids = workerdsUnder(process.pid)
    await world.dispose()
    awaitEnd(pids)
  })

  it("works in a folder whose path is too long for a socket", async () => {
    const folder = join(freshFolder(), "a-rather-long-name".repeat(6))
    mkdirSync(folder)
    for (const isolations of [[confinements[0] ?? "none"], ["none"]] as const) {
      const world = openWorld({ folder, isolations })
      expect(await serve(world)).toBe("b")
      await world.dispose()
    }
    expect(readdirSync(folder)).toEqual([])
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it.each([...confinements, "none"])(
    "leaves no process behind when the supervisor is killed, and sweeps its folder at the next start (%s)",
    async (kind) => {
      const folder = freshFolder()
      const file = fileURLToPath(new URL("../host/Supervised.ts", import.meta.url))
      const supervisor = spawn(process.execPath, ["--conditions=pawl-source", file, folder, kind], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      const said = await new Promise<string>((resolve) => {
        supervisor.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString("utf8")))
        supervisor.once("exit", () => resolve("it ended"))
      })
      expect(said).toContain("serving 200")
      // The app's, those that wait for one, and the spawner that started them.
      const pids = processesBelow(supervisor.pid ?? 0)
      expect(pids.map(nameOf)).toContain("workerd")
      const gone = new Promise((resolve) => supervisor.once("exit", resolve))
      supervisor.kill("SIGKILL")
      await gone
      awaitEnd(pids)
      expect(readdirSync(folder)).toHaveLength(1)
      const next = openWorld({ folder })
      await serve(next)
      expect(readdirSync(folder)).toHaveLength(1)
      await next.dispose()
      expect(readdirSync(folder)).toEqual([])
    }
  )
})
