import { isFetcher, needsScript, scriptNames, scriptNeeded } from "@pawl/adapters-local/packages/InstallScripts"
import { programsOf } from "@pawl/adapters-local/packages/PackagePrograms"
import { Result } from "effect"
import { describe, expect, it } from "vitest"

const judged = (manifest: Readonly<Record<string, unknown>>, ...files: ReadonlyArray<string>) => {
  const paths = new Set(files)
  return [needsScript(manifest, paths), scriptNames(manifest, paths)]
}
const install = (line: string) => ({ scripts: { install: line } })

describe("Install scripts", () => {
  it.each<[string, Readonly<Record<string, unknown>>, ReadonlyArray<string>]>([
    ["binding.gyp alone", {}, ["binding.gyp"]],
    ["node-gyp", install("node-gyp rebuild"), []],
    ["prebuild-install", install("prebuild-install || node-gyp rebuild"), []],
    ["node-pre-gyp", install("node-pre-gyp install --fallback-to-build"), []],
    ["cmake-js", install("cmake-js compile"), []]
  ])("are needed by a package that has %s and no compiled file", (_, manifest, files) => {
    expect(judged(manifest, ...files)).toEqual([true, ["install"]])
    expect(judged(manifest, ...files, "prebuilds/linux-x64/x.node")).toEqual([false, ["install"]])
  })

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["node-sass", { scripts: { install: "node scripts/install.js", postinstall: "node scripts/build.js" } }],
    ["one that calls make", install("make")],
    ["one that is told not to be compiled, and has a script", { gypfile: false, ...install("node build.js") }]
  ])("are needed by what is to be compiled, whatever the script is called: %s", (_, manifest) => {
    expect(judged(manifest, "binding.gyp")[0]).toBe(true)
    expect(judged(manifest, "binding.gyp", "build/Release/x.node")[0]).toBe(false)
    expect(judged(manifest)[0]).toBe(false)
  })

  it("are not needed by what has its compiled files in a package of its own for each machine", () => {
    const apart = (name: string) => ({ optionalDependencies: { [name]: "1" }, ...install("node-gyp-build") })
    for (const name of ["@lmdb/lmdb-linux-x64", "@parcel/watcher-linux-x64-glibc", "x-linux-arm64"])
      expect(judged(apart(name), "binding.gyp")[0]).toBe(false)
    expect(judged(apart("linuxes"), "binding.gyp")[0]).toBe(true)
  })

  it("are known to be needed by some that fetch the rest of themselves, in versions that have such a script", () => {
    for (const name of ["puppeteer", "cypress", "@prisma/client"]) expect(isFetcher(name, ["postinstall"])).toBe(true)
    expect(isFetcher("puppeteer", [])).toBe(false)
    expect(isFetcher("puppeteer-core", ["postinstall"])).toBe(false)
    expect(scriptNeeded("puppeteer", "24.0.0", ["postinstall"])).toContain("`happy-dom`")
  })

  it("are not needed for what they merely do besides", () => {
    expect(judged({ scripts: { postinstall: "node install.js", preinstall: "echo", test: "node-gyp" } })).toEqual([
      false,
      ["preinstall", "postinstall"]
    ])
    expect(judged({ gypfile: false }, "binding.gyp")).toEqual([false, []])
    expect(judged({ scripts: { install: "node-gyp-build" } }, "binding.gyp", "prebuilds/x.node")[0]).toBe(false)
    expect(judged({ scripts: ["install"] })).toEqual([false, []])
  })

  it("that are needed are told with what to use instead", () => {
    expect(scriptNeeded("sqlite3", "5.0.0", ["install"])).toContain("goes through `env.DATA`")
    expect(scriptNeeded("x", "1.0.0", ["install"])).toBe(
      "x 1.0.0 works only after its `install` script has run, and install scripts never run. Instead of it, use one that is JavaScript or WebAssembly alone, or that brings its compiled files along."
    )
  })
})

const programs = (manifest: Readonly<Record<string, unknown>>, ...files: ReadonlyArray<string>) =>
  Result.map(programsOf({ name: "@s/own", ...manifest }, new Set(files)), (found) =>
    found.map(({ name, target }) => `${name} ${target}`)
  )

describe("Programs of packages", () => {
  it("are those of `bin`, by name or under the package's own, else those of a folder", () => {
    expect(programs({ bin: "./cli.js" }, "cli.js")).toEqual(Result.succeed(["own cli.js"]))
    expect(programs({ bin: { a: "x/a.js", "@s/b": "./b.js", gone: "c.js" } }, "x/a.js", "b.js")).toEqual(
      Result.succeed(["a x/a.js", "b b.js"])
    )
    expect(programs({ directories: { bin: "./bin" } }, "bin/a", "bin/.b", "bin/c/d", "e")).toEqual(
      Result.succeed(["a bin/a"])
    )
    expect(programs({ bin: 5 }, "x")).toEqual(Result.succeed([]))
  })

  it.each(["sh", "bash", "node", "env", "git", "__proto__ x", "-rf", ".hidden"])("are never called %s", (name) => {
    expect(programs({ bin: { [name]: "x.js" } }, "x.js")).toEqual(Result.succeed([]))
  })

  it.each<[string, Readonly<Record<string, string>>]>([
    ["a path", { "../../sh": "x.js" }],
    ["a path below a scope", { "@s/a/b": "x.js" }],
    ["a path with a backslash", { "a\\b": "x.js" }],
    ["the folder above", { "..": "x.js" }],
    ["a name of a file outside", { tool: "../../etc/passwd" }],
    ["a name of a file outside, by way of one inside", { tool: "a/../../x.js" }],
    ["a name of an absolute file", { tool: "/etc/passwd" }]
  ])("are refused when one is %s", (_, bin) => {
    expect(Result.isFailure(programs({ bin }, "x.js"))).toBe(true)
  })

  it("are refused when there are very many", () => {
    const bin = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`p${at}`, "x.js"]))
    expect(Result.isFailure(programs({ bin }, "x.js"))).toBe(true)
  })
})
