/**
 * `npm run check:published` (`node tools/checks/published.ts [root]`): packs every package as npm would publish it, and asks publint and Are The Types Wrong
 * whether an outsider can import each of its modules; in a quick run of all tests (`PAWL_TEST_DEPTH`), whether a slice of them
 * can. Needs a build.
 */
import { spawnSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { sliceOf } from "../../packages/testing/src/Slices.ts"
import { packageNames } from "../build/Outputs.ts"
import { turnOf } from "../vitest/Turn.ts"
import { pack, strays, subpaths, type Tarball } from "./Tarballs.ts"

const turn = turnOf({ ...process.env, PAWL_TEST_DEPTH: process.env["PAWL_TEST_DEPTH"] ?? "deep" })
const root = resolve(process.argv[2] ?? ".")
const bin = (name: string) => join(import.meta.dirname, "../../node_modules/.bin", name)

/** In a quick run: most of the time goes by how many modules are asked about. */
const quickModules = 12

/** The wildcard export cannot be walked, so every module is named; a root export is checked too. */
const entrypoints = (name: string, tarball: Tarball): ReadonlyArray<string> => {
  const manifest: { readonly exports?: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(join(root, "packages", name, "package.json"), "utf8")
  )
  const named = Object.keys(manifest.exports ?? {}).filter((key) => !key.includes("*") && key !== "./package.json")
  const modules = subpaths(tarball)
  return [...named, ...(turn.depth === "quick" ? sliceOf(modules, quickModules, turn.seed) : modules)]
}

interface TypesProblem {
  readonly kind: string
  readonly entrypoint?: string
  readonly resolutionKind?: string
}

interface TypesVerdict {
  readonly analysis: { readonly types: unknown; readonly problems?: ReadonlyArray<TypesProblem> }
}

/** CommonJS and the resolution of Node 10 are not offered, so their problems are none. */
const offered = new Set(["node16-esm", "bundler", undefined])

const typesProblems = (name: string, tarball: Tarball): ReadonlyArray<string> => {
  const settings = ["--profile", "esm-only", "--no-definitely-typed", "--format", "json"]
  const answer = `${tarball.path}.types.json`
  // Into a file, for it exits before a pipe has taken all it says.
  const out = openSync(answer, "w")
  const args = [tarball.path, ...settings, "--entrypoints", ...entrypoints(name, tarball)]
  const { stderr } = spawnSync(bin("attw"), args, { encoding: "utf8", stdio: ["ignore", out, "pipe"] })
  closeSync(out)
  const text = readFileSync(answer, "utf8")
  if (!text.startsWith("{")) return [`Are The Types Wrong did not answer: ${text}${stderr}`]
  const { analysis }: TypesVerdict = JSON.parse(text)
  if (analysis.types === false) return ["has no types at all"]
  return (analysis.problems ?? [])
    .filter(({ resolutionKind }) => offered.has(resolutionKind))
    .map(({ kind, entrypoint, resolutionKind }) => `${entrypoint}: ${kind} (${resolutionKind})`)
}

const problemsOf = (name: string, into: string): ReadonlyArray<string> => {
  const tarball = pack(join(root, "packages", name), into)
  const publint = spawnSync(bin("publint"), ["run", tarball.path, "--strict"], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" }
  })
  return [
    ...strays(tarball).map((path) => `${path} must not be published`),
    ...(publint.status === 0 ? [] : [`${publint.stdout}${publint.stderr}`.trim()]),
    ...typesProblems(name, tarball)
  ]
}

const into = mkdtempSync(join(tmpdir(), "pawl-published-"))
try {
  for (const name of packageNames(root)) {
    const problems = problemsOf(name, into)
    if (problems.length > 0) process.exitCode = 1
    console.log([`${problems.length === 0 ? "ok  " : "FAIL"} @pawl/${name}`, ...problems].join("\n"))
  }
} finally {
  rmSync(into, { recursive: true, force: true })
}
