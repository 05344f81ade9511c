import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { sandboxContract } from "@pawl/testing/contracts/sandbox/SandboxContract"
import { jobOf } from "@pawl/testing/contracts/sandbox/SandboxJobs"
import { depth } from "@pawl/testing/Depth"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import { layer } from "@pawl/adapters-cloudflare/sandbox/ContainerSandbox"
import { makeHost } from "../../../adapters-local/test/sandbox/SandboxHost.ts"
import { checksHere, program } from "./ChecksHere.ts"

const [honestly, nothing] = await Promise.all([program({ force: "bubblewrap" }), program({ force: "none" })])

/** An object of checks for as long as a layer lives. */
const containers = (run: ReadonlyArray<string>) =>
  Layer.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(() => checksHere(run)),
        ({ close }) => Effect.promise(close)
      ),
      ({ calls }) => layer(calls)
    )
  )

// Inside it is bubblewrap, which `Isolations.test.ts` of adapters-local tries with everything at every depth.
const differsInLimits = depth === "quick" ? ({ differsInLimits: true } as const) : {}
sandboxContract("ContainerSandbox", { layer: containers(honestly), host: makeHost, ...differsInLimits })

const using = async <A>(
  run: ReadonlyArray<string>,
  use: (checks: Awaited<ReturnType<typeof checksHere>>) => Promise<A>
) => {
  const checks = await checksHere(run)
  try {
    return await use(checks)
  } finally {
    await checks.close()
  }
}

const isolation = Effect.flatMap(Sandbox, (sandbox) => sandbox.isolation)

describe("ContainerSandbox", () => {
  it("claims of a container that lies about one guarantee all but that one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "liar-"))
    // It does all that it is told, and lets a variable in.
    copyFileSync("/usr/bin/bwrap", join(folder, "real"))
    writeFileSync(join(folder, "bwrap"), `#!/bin/sh\nexec ${folder}/real --setenv LEAKED 1 "$@"\n`)
    for (const path of ["real", "bwrap", "."]) chmodSync(join(folder, path), 0o755)
    const lying = ["unshare", "--mount", "--propagation", "private", "/bin/sh", "-c"]
    const instead = `mount --bind ${folder}/bwrap /usr/bin/bwrap && exec "$@"`
    const claimed = (before: ReadonlyArray<string>) =>
      using([...before, ...honestly], ({ calls }) => Effect.runPromise(Effect.provide(isolation, layer(calls))))
    const [honest, liar] = await Promise.all([claimed([]), claimed([...lying, instead, "sh"])]).finally(() =>
      rmSync(folder, { recursive: true, force: true })
    )
    expect(honest.guarantees).toContain("clean-environment")
    expect(liar.guarantees).toEqual(honest.guarantees.filter((each) => each !== "clean-environment"))
  })

  it("has no isolation where nothing in the container proves one, and says what is missing", () =>
    using(nothing, async ({ calls }) => {
      const found = await Effect.runPromise(Effect.provide(Effect.flip(isolation), layer(calls)))
      expect(found).toMatchObject({ _tag: "IsolationMissing", reason: expect.stringContaining("switched off") })
    }))

  it.each([
    ["a job that could not begin", nothing],
    ["a job that nobody asks about any more", honestly]
  ])("ends its container after %s", (_, run) =>
    using(run, async ({ calls, engine, idle }) => {
      const starting = Effect.flatMap(Sandbox, ({ start }) =>
        Effect.forEach(["one", "two"], (id) => Effect.result(start({ ...jobOf("sleep 600"), id })))
      )
      const started = await Effect.runPromise(Effect.provide(starting, layer(calls)))
      const wanted = run === nothing ? "Failure" : "Success"
      expect([...started.map(({ _tag }) => _tag), engine.running()]).toEqual([wanted, wanted, 1])
      await idle()
      expect(engine.running()).toBe(0)
    })
  )

  it("runs nothing on a source that is too large for it, and says so for good", () =>
    using(honestly, async ({ calls }) => {
      const content = new Uint8Array(CloudflareLimits.checkJobBytes)
      const job = { ...jobOf("true"), files: new Map([["large.bin", { content, executable: false }]]) }
      const starting = Effect.flatMap(Sandbox, (sandbox) => Effect.flip(sandbox.start(job)))
      const failed = await Effect.runPromise(Effect.provide(starting, layer(calls)))
      expect(failed).toMatchObject({
        _tag: "SandboxUnavailable",
        lasting: true,
        reason: expect.stringContaining(`at most ${content.byteLength} are brought into a container`)
      })
    }))

  it("loses its jobs with its container, says so to who waits for them, and starts another", () =>
    using(honestly, async ({ calls, engine }) => {
      const lost = await Effect.runPromise(
        Effect.provide(
          Effect.gen(function* () {
            const sandbox = yield* Sandbox
            const handle = yield* sandbox.start(jobOf("sleep 600"))
            engine.killAll()
            const lost = yield* Effect.flip(sandbox.poll(handle, 60_000))
            yield* sandbox.start(jobOf("true"))
            return lost
          }),
          layer(calls)
        )
      )
      expect(lost._tag).toBe("SandboxUnavailable")
    }))
})
