/** What a newcomer sees first: `npm ci`, then `npm start`. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")

/** The machine's own Node and npm: what npm scripts put before them on the path is not there yet. */
const machine = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter)

/** What `npm ci` warns of when it looks at the lock file; it changes nothing. */
const warnings = (...args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const environment = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith("npm_"))
  const { status, stderr } = spawnSync("npm", ["ci", "--dry-run", "--offline", ...args], {
    cwd: root,
    encoding: "utf8",
    // Settings of this machine's user are not the project's.
    env: { ...Object.fromEntries(environment), PATH: machine, npm_config_userconfig: "/dev/null" }
  })
  expect(status).toBe(0)
  return stderr.split("\n").filter((line) => line !== "")
}

describe("npm ci", () => {
  const looks = [
    ["says nothing on standard error, whichever Node the machine has", [], ""],
    ["leaves no package's install script undecided", ["--loglevel=warn"], "install-scripts"]
  ] as const

  it.each(slice(looks, { quick: 1 }))("%s", (_, args, about) => {
    expect(warnings(...args).filter((line) => line.includes(about))).toEqual([])
  })
})

describe("The build before npm start", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pawl-quiet-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const build = (exit: number, first = "8 tasks") => {
    const [program, runner] = [join(folder, `build-${exit}.mjs`), join(folder, `run-${exit}.mjs`)]
    writeFileSync(program, `console.log("${first}"); console.error("a mistake"); process.exitCode = ${exit}`)
    writeFileSync(
      runner,
      `import { runQuietly } from ${JSON.stringify(join(root, "tools/build/Quietly.ts"))}
       process.exitCode = await runQuietly(${JSON.stringify(program)}, { waiting: "building", begins: "Building project" })`
    )
    const { status, stderr, stdout } = spawnSync(process.execPath, [runner], { encoding: "utf8" })
    return {
      status,
      stdout,
      told: stderr
        .split("\n")
        .filter((line) => line !== "")
        .toSorted()
    }
  }

  it("says nothing when nothing is to be built", () => {
    expect(build(0)).toEqual({ status: 0, stdout: "", told: [] })
  })

  it("says on standard error that something is built, so that what the command prints can be piped", () => {
    const first = "Building project 'packages/core/tsconfig.json'..."
    expect(build(0, first)).toEqual({ status: 0, stdout: "", told: ["building"] })
  })

  it("tells all that it said when it fails, and ends the command with its exit code", () => {
    expect(build(3)).toEqual({ status: 3, stdout: "", told: ["8 tasks", "a mistake"] })
  })
})
