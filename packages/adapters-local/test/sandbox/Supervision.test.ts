import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { once } from "node:events"
import { getPriority, tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { IsolationMissing, Sandbox } from "@pawl/core/verification/Sandbox"
import { jobOf, runJob, textOf } from "@pawl/testing/contracts/sandbox/SandboxJobs"
import { slice } from "@pawl/testing/Depth"
import { Effect, Fiber, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { describeIsolation, type IsolationChoice } from "../../src/sandbox/IsolationChoice.ts"
import { layer } from "../../src/sandbox/LocalSandbox.ts"
import { layerSpawner } from "../../src/spawner/Processes.ts"
import { oneFile } from "../OneFile.ts"
import { childrenOf, commandOf } from "../Processes.ts"
import { processesWith } from "./SandboxHost.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
let script: string
beforeAll(async () => {
  script = await oneFile(here("./supervisor.ts"))
})
// Where the supervisors below have their folders: sandboxes that others start meanwhile would sweep what a killed one left.
const place = mkdtempSync(join(tmpdir(), "pawl-tests-"))
chmodSync(place, 0o755)
afterAll(() => rmSync(place, { recursive: true, force: true }))
let markers = 0
const marker = () => `8631${markers++}.${process.pid}`

/** The groups below one, by their names. Those of other tests come and go meanwhile: one that is gone has none. */
const groupsBelow = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => [name, ...groupsBelow(join(folder, name))])
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENODEV")) return []
    throw error
  }
}

const leftovers = (pid: number): ReadonlyArray<string> =>
  [...readdirSync(tmpdir()), ...readdirSync(place), ...groupsBelow("/sys/fs/cgroup")].filter(
    (name) => name.includes("pawl-sandbox-") && name.includes(`-${pid}-`)
  )

/** Who forks for a supervisor: itself, or a spawner, as for a server. */
type Forks = "itself" | "spawner"

/** A program in one file does not find that of the spawner beside it: it runs from the sources. */
const programOf = (forks: Forks): ReadonlyArray<string> =>
  forks === "itself" ? [script] : ["--conditions=pawl-source", here("./supervisor.ts")]

const supervise = (forks: Forks, ...args: readonly [string, string, string, string]) => {
  const folder = forks === "itself" ? [] : [join(place, "run")]
  const child = spawn(process.execPath, [...programOf(forks), ...args, ...folder], {
    env: { ...process.env, TMPDIR: place },
    // A folder of the host, as a careless parent may pass it on.
    stdio: [
      "ignore",
      "pipe",
      "inherit",
      openSync("/", "r"),
      openSync("/", "r"),
      ..."ignored".split("").map(() => "ignore" as const),
      openSync("/", "r")
    ]
  })
  let said = ""
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString()))
  return { child, pid: child.pid ?? 0, said: () => said, ended: once(child, "exit"), heard: once(child, "close") }
}

const missing = !existsSync("/usr/bin/bwrap")
if (missing) console.warn("SKIPPED: supervision of bubblewrap, since it is not installed: apt-get install bubblewrap")

const supervision = (force: "bubblewrap" | "unshare", forks: Forks) => {
  const layerOf = (choice: IsolationChoice = {}) => {
    const sandbox = layer({ force, ...choice })
    return forks === "itself" ? sandbox : Layer.provide(sandbox, Layer.orDie(layerSpawner(join(place, "run"))))
  }

  it.each(slice(["cgroups", "alone"], { quick: 1 }))(
    "that is killed takes all of its sandboxes with it, and its traces go at the next start (%s)",
    async (cgroups) => {
      const name = marker()
      const { child, pid, said, ended } = supervise(
        forks,
        force,
        cgroups,
        `setsid sleep ${name} & (nohup sleep ${name} &); echo on; sleep ${name}`,
        "after"
      )
      await vi.waitFor(() => expect(said()).toContain("started"), 20_000)
      await vi.waitFor(() => expect(processesWith(`sleep ${name}`)).toBeGreaterThanOrEqual(3), 20_000)
      child.kill("SIGKILL")
      await ended
      await vi.waitFor(() => expect(processesWith(name)).toBe(0), 20_000)
      expect(leftovers(pid).length).toBeGreaterThan(0)
      const next = supervise(forks, force, cgroups, "true", "after")
      await next.ended
      expect(leftovers(pid)).toEqual([])
      expect(leftovers(next.pid)).toEqual([])
    }
  )

  it("that is killed while it builds the walls leaves nothing running", async () => {
    await Promise.all(
      slice(["0", "4", "8", "16"], { quick: 2 }).map(async (afterMs) => {
        const name = marker()
        const { child, ended } = supervise(forks, force, "alone", `sleep ${name}`, afterMs)
        await ended
        expect(child.signalCode).toBe("SIGKILL")
        await vi.waitFor(() => expect(processesWith(name)).toBe(0), 20_000)
      })
    )
  })

  it("passes on no descriptor that it was given itself", async () => {
    const { said, heard } = supervise(
      forks,
      force,
      "cgroups",
      "for d in /proc/self/fd/[0-9]*; do readlink $d; [ -d $d ] && echo ESCAPED; done",
      "never"
    )
    await heard
    expect(
      said()
        .trim()
        .split("\n")
        .filter((line) => !/^\/dev\/null$|pipe-\d+( \(deleted\))?$|^\/proc\//.test(line))
    ).toEqual([])
    expect(said()).toContain("/dev/null")
  })

  it("lets the server and the apps go first: its jobs are by 5 of niceness behind them", async () => {
    const result = await Effect.runPromise(Effect.provide(runJob(jobOf("nice")), layerOf()))
    expect(textOf(result).trim()).toBe(String(Math.min(getPriority() + 5, 19)))
  })

  it("ends its jobs and leaves nothing when its layer is closed", async () => {
    const name = marker()
    const before = leftovers(process.pid)
    const start = Effect.flatMap(Sandbox, (sandbox) => sandbox.start(jobOf(`sleep ${name} & sleep ${name}`)))
    await Effect.runPromise(Effect.provide(start, layerOf()))
    expect(processesWith(name)).toBe(0)
    expect(leftovers(process.pid).filter((each) => !before.includes(each))).toEqual([])
  })

  it("leaves nothing when whoever asked first left before its proof was made", async () => {
    const before = leftovers(process.pid)
    const asked = Effect.gen(function* () {
      const { isolation } = yield* Sandbox
      const first = yield* Effect.forkChild(isolation, { startImmediately: true })
      yield* Fiber.interrupt(first)
      expect((yield* isolation).name).toBe(force)
    })
    await Effect.runPromise(Effect.provide(asked, layerOf()))
    expect(leftovers(process.pid).filter((each) => !before.includes(each))).toEqual([])
  })

  it("describes what is in force, and finds nothing missing here", async () => {
    const report = await Effect.runPromise(describeIsolation({ force }))
    expect(report.name).toBe(force)
    expect(report.version).toMatch(/^\d/)
    expect(report.guarantees).toEqual(
      expect.arrayContaining(["network-denied", "host-files-hidden", "daemons-killed", "user-dropped"])
    )
    expect(
      report.missing.map(({ guarantee }) => guarantee).filter((guarantee) => report.guarantees.includes(guarantee))
    ).toEqual([])
  })

  it("shows a folder of vendored packages, read-only", async () => {
    const nodeModules = fileURLToPath(new URL("../../../../node_modules", import.meta.url))
    const result = await Effect.runPromise(
      Effect.provide(
        runJob(
          jobOf(
            `node -p 'require("jsonc-parser").parse("{} // x") !== undefined'; esbuild --version; touch /node_modules/x || echo denied`
          )
        ),
        layerOf({ nodeModules })
      )
    )
    expect(textOf(result)).toMatch(/^true\n\d+\.\d+\.\d+\n.*Read-only file system\ndenied\n$/)
  })
}

describe.skipIf(missing)("a supervisor of bubblewrap (needs bubblewrap)", () => {
  supervision("bubblewrap", "spawner")

  it("whose spawner dies says that of the job, which is gone, and starts the next", async () => {
    const name = marker()
    const sandbox = Layer.provide(layer({ force: "bubblewrap" }), Layer.orDie(layerSpawner(join(place, "run"))))
    const spawners = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes("SpawnerProcess"))
    const before = spawners()
    await Effect.runPromise(
      Effect.gen(function* () {
        const { poll, start } = yield* Sandbox
        const handle = yield* start(jobOf(`sleep ${name}`))
        yield* Effect.promise(() => vi.waitFor(() => expect(processesWith(name)).toBeGreaterThan(0), 20_000))
        for (const pid of spawners().filter((each) => !before.includes(each))) process.kill(pid, "SIGKILL")
        const lost = yield* Effect.flip(poll(handle, 20_000))
        expect(lost).toMatchObject({ _tag: "SandboxUnavailable", reason: "who forks for it ended" })
        yield* Effect.promise(() => vi.waitFor(() => expect(processesWith(name)).toBe(0), 20_000))
        expect(textOf(yield* runJob(jobOf("echo next"))).trim()).toBe("next")
      }).pipe(Effect.provide(sandbox))
    )
  })
})
describe("a supervisor of unshare", () => {
  supervision("unshare", "itself")
})

describe("without isolation", () => {
  const none = layer({ force: "none" })

  it("refuses every job, and says what would mend it", async () => {
    const refused = await Effect.runPromise(Effect.flip(Effect.provide(runJob(jobOf("true")), none)))
    expect(refused).toBeInstanceOf(IsolationMissing)
    expect(refused).toMatchObject({ remedy: "apt-get install bubblewrap" })
  })

  it("names no guarantee", async () => {
    const report = await Effect.runPromise(describeIsolation({ force: "none" }))
    expect(report.guarantees).toEqual([])
    expect(report.missing.length).toBeGreaterThan(0)
    expect(
      await Effect.runPromise(
        Effect.provide(Effect.flip(Effect.flatMap(Sandbox, (s) => s.isolation)), Layer.fresh(none))
      )
    ).toBeInstanceOf(IsolationMissing)
  })
})
