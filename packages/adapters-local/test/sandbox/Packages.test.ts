import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { SandboxJob, SandboxResult } from "@pawl/core/verification/Sandbox"
import { jobOf, type JobParts, runJob, textOf } from "@pawl/testing/contracts/sandbox/SandboxJobs"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cacheFolders } from "../../src/packages/CacheFolders.ts"
import { layer } from "../../src/sandbox/LocalSandbox.ts"
import { layerId, makeLayers } from "./TestLayer.ts"

const isolations = (["bubblewrap", "unshare"] as const).filter(
  (name) => name !== "bubblewrap" || existsSync("/usr/bin/bwrap")
)

describe.each(isolations)("A command with packages (%s)", (force) => {
  const layers = makeLayers()
  const folder = join(layers, layerId, "node_modules")
  const runtime = ManagedRuntime.make(layer({ force, packageLayers: layers }))
  afterAll(async () => {
    await runtime.dispose()
    rmSync(layers, { recursive: true })
  })

  const run = (command: string, parts: JobParts & Partial<Pick<SandboxJob, "packages">> = {}): Promise<SandboxResult> =>
    runtime.runPromise(runJob(jobOf(command, { packages: layerId, ...parts })))
  const said = async (command: string, parts: JobParts = {}) => textOf(await run(command, parts)).trim()

  let before: ReadonlyArray<string> = []
  beforeAll(() => {
    before = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
  })

  it("imports them, runs their programs, and still finds what Pawl brings along", async () => {
    expect(
      await said(`node -p 'require("one")'; one a b; node -p 'typeof require("hono").Hono'; ls node_modules`)
    ).toBe("of the layer\none a b of the layer\nfunction\none")
  })

  it("cannot change them: not by writing, removing, renaming, linking, nor by another mount", async () => {
    const attempts = [
      "echo x > node_modules/one/index.js",
      "echo x > node_modules/new",
      "rm -rf node_modules/one",
      "mv node_modules node_modules.old",
      "ln -f package.json node_modules/one/index.js",
      "chmod 777 node_modules/one",
      "mount -o remount,rw node_modules",
      "umount node_modules",
      "mkdir node_modules/.other"
    ]
    const files = { "package.json": "{}" }
    expect(
      await said(attempts.map((attempt) => `{ ${attempt}; } 2>/dev/null && echo DONE`).join("; "), { files })
    ).toBe("")
    expect(readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()).toEqual(before)
    expect(readFileSync(join(folder, "one/index.js"), "utf8")).toContain("of the layer")
  })

  it("writes to caches below them, which are empty at each start and gone afterwards", async () => {
    const write = cacheFolders.map((name) => `ls node_modules/${name}; echo x > node_modules/${name}/x`).join(" && ")
    expect(await said(`${write} && echo written`)).toBe("written")
    expect(await said(`${write} && echo written`)).toBe("written")
    expect(readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()).toEqual(before)
  })

  it("fills its disk with what it writes to caches: they have no size of their own", async () => {
    const fill = "head -c 3000000 /dev/zero > node_modules/.cache/a && head -c 3000000 /dev/zero > node_modules/.vite/b"
    expect(await said(`{ ${fill}; } 2>/dev/null || echo full`, { limits: { diskBytes: 4 * 1024 * 1024 } })).toBe("full")
  })

  it("runs the system's programs where a package brings others of their names, and the package's tsc before ours", async () => {
    expect(await said(`for name in sh tar node tsc; do command -v $name; done`)).toMatch(
      /^\/(usr\/)?bin\/sh\n\/(usr\/)?bin\/tar\n\/tools\/bin\/node\n\/job\/work\/node_modules\/\.bin\/tsc$/
    )
    expect(await said("tsc")).toBe("own tsc")
  })

  it("is told that node_modules/ of its source is not to be seen, and does not see it", async () => {
    const files = { "node_modules/one/index.js": `module.exports = "of the source"`, "node_modules/other.js": "x" }
    expect(await said(`node -p 'require("one")'; ls node_modules`, { files })).toBe(
      "pawl: node_modules/ of the source is not used: the packages of the lock file stand in its place\nof the layer\none"
    )
  })

  it("does not run where its layer is not on this machine, or is named by no digest", async () => {
    for (const packages of ["b".repeat(64), "../packages", ""]) {
      const failed = await runtime.runPromise(Effect.flip(runJob(jobOf("true", { packages }))))
      expect(failed).toMatchObject({
        _tag: "SandboxUnavailable",
        message: expect.stringContaining("not on this machine")
      })
    }
  })

  it("gives back none of them as output", async () => {
    const collect = { paths: ["node_modules", "dist"], maxBytes: 1000, maxFiles: 10 }
    const { collected } = await run("mkdir dist; echo x > dist/x; echo y > node_modules/.cache/y", { collect })
    expect(collected?._tag === "Files" ? [...collected.files.keys()] : collected).toEqual(["dist/x"])
  })

  it("is killed at its time and by a cancel, and leaves no mount and no folder behind", async () => {
    const late = await run("sleep 600", { limits: { wallMs: 300 } })
    expect(late.outcome).toEqual({ _tag: "TimedOut", afterMs: 300 })
    expect(readFileSync("/proc/self/mountinfo", "utf8")).not.toContain("/job-")
  })
})

describe("npm, npx, pnpm and yarn in a sandbox", () => {
  const layers = makeLayers()
  const runtime = ManagedRuntime.make(layer({ packageLayers: layers }))
  afterAll(async () => {
    await runtime.dispose()
    rmSync(layers, { recursive: true })
  })
  const scripts = {
    prego: "echo before",
    go: "one",
    postgo: "echo after $npm_lifecycle_event",
    test: "echo tested",
    fail: "exit 7"
  }
  const files = { "package.json": JSON.stringify({ name: "app", version: "1.2.3", scripts }), "sub/x": "" }
  const said = async (command: string) =>
    textOf(await runtime.runPromise(runJob(jobOf(command, { packages: layerId, files })))).trim()

  /** Runs commands one after another in one sandbox; what each of them said, with its exit. */
  const each = async (commands: ReadonlyArray<string>) =>
    (await said(commands.map((command) => `( ${command} ) 2>&1; echo "exit $?"; echo ---`).join("\n")))
      .split("---")
      .map((text) => text.trim())
      .slice(0, commands.length)

  it("run scripts, with those around them, and programs of packages", async () => {
    const expected = {
      "npm run go -- a 'b c'": "before\none a b c of the layer\nafter postgo\nexit 0",
      "npm test": "tested\nexit 0",
      "cd sub && npm run -s test": "tested\nexit 0",
      "npm run fail": "exit 7",
      "npm run none --if-present": "exit 0",
      "pnpm go x": "before\none x of the layer\nafter postgo\nexit 0",
      "yarn one y": "one y of the layer\nexit 0",
      "npx --yes one@1 z": "one z of the layer\nexit 0",
      "npm exec one -- w": "one w of the layer\nexit 0"
    }
    expect(await each(Object.keys(expected))).toEqual(Object.values(expected))
  })

  it("install nothing, and say so: where nothing is needed that is no failure", async () => {
    for (const text of await each(["npm install", "npm ci", "pnpm i", "yarn"]))
      expect(text).toMatch(/nothing is installed here: what the lock file names is in node_modules already\nexit 0$/)
    for (const text of await each(["npm install left-pad", "yarn add left-pad", "pnpm add -D left-pad"]))
      expect(text).toMatch(/nothing is installed here: add left-pad to package.json and its lock file\nexit 1$/)
  })

  it("name a script and a program that is not there, and what they do not know", async () => {
    expect(await each(["npm run gone", "npx cowsay hi", "npm publish", "npm run go -w sub"])).toEqual([
      `npm: package.json has no script "gone"\nexit 1`,
      "npx: cowsay is not among the packages of this source, and nothing is installed here\nexit 127",
      `npm: "publish" is not supported here: scripts and programs of packages are run, and nothing is installed\nexit 1`,
      expect.stringContaining("exit 0")
    ])
  })
})
