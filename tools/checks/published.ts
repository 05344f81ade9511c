/**
 * `npm run check:published` (`node tools/checks/published.ts [root]`): packs every package as npm would publish it, and asks publint and Are The Types Wrong
 * whether an outsider can import each of its modules; in a quick run of all tests (`PAWL_TEST_DEPTH`), whether a slice of them
 * can. Needs a build.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { sliceOf } from "../../packages/testing/src/Slices.ts"
import { packageNames } from "../build/Outputs.ts"
import { turnOf } from "../vitest/Turn.ts"
import { pack, strays, subpaths, type Tarball } from "./Tarballs.ts"

const turn = turnOf({ ...process.env, PAWL_TEST_DEPTH: process.env["PAWL_TEST_DEPTH"] ?? "deep" })
const root = resolve(process.argv[2] ?? ".")

/** In a quick run: most of the time goes by how many modules are asked about. */
const quickModules = 12

/** The wildcard export cannot be walked, so every module is named; a root export is checked too. */
const entrypoints = (name: string, tarball: Tarball): ReadonlyArray<string> => {
  const manifest: { readonly exports?: Readonly<Record<string, unknown>> } = JSON.parse(
    readFileSync(join(root, "packages", name, "package.json"), "utf8")
  )
  const named = Object.keys(manifest.exports ?? {}).filter((key) => !key.includes("*") && key !== "./package.json")
  // What is loaded by browsers is no module for others.
  const modules = Object.hasOwn(manifest.exports ?? {}, "./*") ? subpaths(tarball) : []
  return [...named, ...(turn.depth === "quick" ? sliceOf(modules, quickModules, turn.seed) : modules)]
}

/** CommonJS and the resolution of Node 10 are not offered, so their problems are none. */
const offered = new Set(["node16-esm", "bundler", undefined])

const typesProblems = async (name: string, tarball: Tarball, bytes: Uint8Array): Promise<ReadonlyArray<string>> => {
  const offers = entrypoints(name, tarball)
  if (offers.length === 0) return []
  const analysis = await checkPackage(createPackageFromTarballData(bytes), {
    entrypoints: [...offers]
  })
  if (analysis.types === false) return ["has no types at all"]
  return analysis.problems.flatMap((problem) => {
    const entrypoint = "entrypoint" in problem ? problem.entrypoint : undefined
    const resolutionKind = "resolutionKind" in problem ? problem.resolutionKind : undefined
    return offered.has(resolutionKind) ? [`${entrypoint}: ${problem.kind} (${resolutionKind})`] : []
  })
}

const lintProblems = async (bytes: Uint8Array): Promise<ReadonlyArray<string>> => {
  const { messages, pkg } = await publint({ pack: { tarball: Uint8Array.from(bytes).buffer }, strict: true })
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

const problemsOf = async (name: string, tarball: Tarball): Promise<ReadonlyArray<string>> => {
  const bytes = readFileSync(tarball.path)
  return [
    ...strays(tarball).map((path) => `${path} must not be published`),
    ...(await lintProblems(bytes)),
    ...(await typesProblems(name, tarball, bytes))
  ]
}

const into = mkdtempSync(join(tmpdir(), "pawl-published-"))
try {
  const names = packageNames(root)
  const tarballs = pack(
    names.map((name) => join(root, "packages", name)),
    into
  )
  for (const name of names) {
    const tarball = tarballs.get(`@pawl/${name}`)
    const problems = tarball === undefined ? ["was not packed"] : await problemsOf(name, tarball)
    if (problems.length > 0) process.exitCode = 1
    console.log([`${problems.length === 0 ? "ok  " : "FAIL"} @pawl/${name}`, ...problems].join("\n"))
  }
} finally {
  rmSync(into, { recursive: true, force: true })
}
