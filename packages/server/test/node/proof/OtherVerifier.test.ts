/** What `tools/verify.py` is made of: few lines in each of its files, and nothing of Pawl. */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { endFolder, found, foundByPython, packFolder, sceneOf, script } from "./PackScenes.ts"

const parts = join(dirname(script), "verification")
const files = [script, ...readdirSync(parts).map((name) => join(parts, name))]

/** The modules that a file imports, by the first part of their names; those beside it as `verification`. */
const importsOf = (path: string): ReadonlyArray<string> =>
  [...readFileSync(path, "utf8").matchAll(/^\s*(?:import (.+)|from (\S+) import .+)$/gm)].flatMap(
    ([, plain, from = ""]) =>
      plain?.split(", ") ?? [from.startsWith(".") ? basename(parts) : (from.split(".", 1)[0] ?? "")]
  )

/** Larger than what verify.py may have, which is enough for Python and cryptography. */
const largeBytes = 300 * 1024 * 1024
const memoryKiB = 200 * 1024

const ofPython = [
  "base64",
  "datetime",
  "hashlib",
  "json",
  "os",
  "pathlib",
  "re",
  "subprocess",
  "sys",
  "tempfile",
  "zlib"
]

describe("verify.py", () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "pawl-verifier-"))
  afterAll(() => rmSync(elsewhere, { recursive: true }))

  it("has no file of more than 150 lines, nor a line of more than 120 characters", () => {
    const long = files.flatMap((path) => {
      const lines = readFileSync(path, "utf8").split("\n")
      return [
        ...(lines.length > 150 ? [`${path}: ${lines.length} lines`] : []),
        ...lines.filter((line) => line.length > 120)
      ]
    })
    expect(long).toEqual([])
  })

  it("imports its own parts, modules of Python itself and cryptography, and nothing else", () => {
    expect(new Set(files.flatMap(importsOf))).toEqual(new Set([...ofPython, basename(parts), "cryptography"]))
    // Nothing but the statement imports: what is made of a text is not seen above.
    for (const path of files)
      expect(readFileSync(path, "utf8")).not.toMatch(/__import__|importlib|\b(?:eval|exec|(?<!re\.)compile)\(/)
  })

  it("holds no object in memory as a whole", async () => {
    const { live } = (await sceneOf("good")).pack
    const folder = await packFolder("good", {
      folder: (path) => truncateSync(join(path, "objects", live.assets["a.txt"] ?? ""), largeBytes)
    })
    const bounded = `ulimit -v ${memoryKiB}; exec python3 "$1" "$2"`
    const ended = spawnSync("bash", ["-c", bounded, "-", script, folder], { encoding: "utf8" })
    expect([ended.status, ended.stderr, ended.stdout]).toEqual([1, "", expect.stringContaining("asset_mismatch")])
    expect((await found(folder)).map((each) => each.split(" ", 1)[0])).toEqual(["asset_mismatch"])
    endFolder(folder)
  })

  it("is run from any folder, as a copy of itself alone, and writes nothing beside itself", async () => {
    cpSync(script, join(elsewhere, "verify.py"))
    cpSync(parts, join(elsewhere, "verification"), { recursive: true })
    const listed = () => new Set(readdirSync(elsewhere, { recursive: true }).map(String))
    const before = listed()
    const folder = await packFolder("good")
    for (const cwd of ["/", elsewhere]) {
      const ended = spawnSync("python3", [relative(cwd, join(elsewhere, "verify.py")), folder], {
        cwd,
        encoding: "utf8"
      })
      expect([ended.status, ended.stderr, ended.stdout]).toEqual([0, "", expect.stringContaining(": 0 finding(s)\n")])
    }
    expect(await foundByPython(folder)).toEqual({ findings: [], exitCode: 0, problem: "" })
    endFolder(folder)
    expect(listed()).toEqual(before)
    expect(files.filter((path) => !path.endsWith(".py"))).toEqual([])
  })
})
