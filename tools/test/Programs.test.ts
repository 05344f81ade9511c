/** Programs that Node starts without our condition find no package of ours as sources: a fresh clone has no `dist`. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { relativePath } from "../house/ImportPaths.ts"
import { childrenCompiled } from "../vitest/Children.ts"
import { root } from "./FixtureWorkspace.ts"

/** Every name that a file, and those that it reaches, loads when it runs. */
const loaded = (file: string, seen = new Set<string>()): ReadonlyArray<string> => {
  if (seen.has(file)) return []
  seen.add(file)
  const source = readFileSync(join(root, file), "utf8")
  const names = [...source.matchAll(/^(?:import|export) (?!type )[^"=]*?"([^"]+)"$/gm)].map(([, name = ""]) => name)
  return names.flatMap((name) => (name.startsWith(".") ? loaded(relativePath(file, name), seen) : [name]))
}

it.each([
  "repositories/FolderThread.ts",
  "spawner/SpawnerProcess.ts",
  "runtime/host/WatchdogThread.ts",
  "signing/SignatureThread.ts"
])("%s loads nothing but Node's own", (file) => {
  const names = loaded(`packages/adapters-local/src/${file}`)
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => !name.startsWith("node:"))).toEqual([])
})

/** As `loaded`, through our packages too. */
const reached = (file: string, seen = new Set<string>()): ReadonlyArray<string> =>
  loaded(file).flatMap((name) => {
    const [, own, path] = /^@pawl\/([^/]+)\/(.+)$/.exec(name) ?? []
    if (own === undefined) return [name]
    if (seen.has(name)) return []
    seen.add(name)
    return reached(`packages/${own}/src/${path}.ts`, seen)
  })

it.each(["builder/bundler/BundlerProcess.ts", "builder/routes/RouteProcess.ts", "symbols/SymbolProcess.ts"])(
  "%s, started again and again, loads no Effect: to load it takes longer than all that is done there",
  (file) => {
    const names = reached(`packages/adapters-local/src/${file}`)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => /^(effect|@effect)(\/|$)/.test(name))).toEqual([])
  }
)

it("sees Effect behind packages of ours", () => {
  expect(reached("packages/adapters-local/src/builder/settings/BuildCommand.ts")).toContain("effect")
})

it("sees a package of ours that is loaded from afar", () => {
  expect(loaded("packages/adapters-local/src/builder/bundler/BundlerProcess.ts")).toContain(
    "@pawl/core/primitives/Limits"
  )
})

it("what starts a program compiled for one run is not remembered for the next run", () => {
  const asked: Array<(file: { readonly id: string }) => unknown> = []
  const context = { defineCacheKeyGenerator: (generator: (typeof asked)[number]) => asked.push(generator) }
  Reflect.apply(childrenCompiled().configureVitest as () => void, undefined, [context])
  const remembered = (path: string) =>
    asked.every((generator) => generator({ id: join(root, "packages/adapters-local/src", path) }) !== false)
  expect(remembered("builder/bundler/BundlerChild.ts")).toBe(false)
  expect(remembered("builder/routes/BabelRouteReader.ts")).toBe(false)
  expect(remembered("builder/bundler/BundlerProcess.ts")).toBe(true)
})
