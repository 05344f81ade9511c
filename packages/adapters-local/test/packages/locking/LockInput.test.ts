import { Limits } from "@pawl/core/primitives/Limits"
import { utf8 } from "@pawl/core/primitives/Digest"
import { describe, expect, it } from "vitest"
import { readLock, readManifest, Refusal } from "@pawl/adapters-local/packages/locking/LockInput"
import { manifest, needs } from "./LockKit.ts"

const refusalOf = (work: () => unknown): ReadonlyArray<string> => {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.problems.map(({ code, line, message }) => `${code}: ${message} (${line})`)
  }
}

describe("A package.json of anyone", () => {
  it.each<readonly [what: string, manifest: Uint8Array, problem: RegExp]>([
    ["a git dependency", needs({ a: "git+https://example.test/a.git" }), /^package_source: a /],
    ["a dependency of GitHub", needs({ a: "someone/a" }), /^package_source/],
    ["a file", needs({ a: "file:../a" }), /^package_source/],
    ["a link", needs({ a: "link:../a" }), /^package_source/],
    ["a URL", needs({ a: "https://example.test/a.tgz" }), /^package_source/],
    ["a workspace's", needs({ a: "workspace:*" }), /^package_source/],
    ["an override that is a URL", manifest({ overrides: { a: { b: "file:x" } } }), /^package_source/],
    ["workspaces", manifest({ workspaces: ["a"] }), /^package_workspaces/],
    ["a name that leaves its folder", needs({ "../a": "1" }), /^package_name/],
    ["a name of a prototype", utf8('{"dependencies":{"__proto__":"1"}}'), /^package_name/],
    ["half of a JSON", utf8("{"), /^manifest_unreadable/],
    ["brackets without end", utf8("[".repeat(100_000)), /^manifest_unreadable.*nested/]
  ])("is refused in words before anyone is asked: %s", (_, given, problem) => {
    expect(refusalOf(() => readManifest(given))).toEqual([expect.stringMatching(problem)])
  })

  it("is refused with the line of what is wrong", () => {
    const text = utf8('{\n  "dependencies": {\n    "a": "1",\n    "b": "file:b"\n  }\n}\n')
    expect(refusalOf(() => readManifest(text))).toEqual([expect.stringMatching(/^package_source.*\(4\)$/)])
  })

  it("tells only the first of ten thousand mistakes", () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`p${index}`, "file:x"]))
    expect(refusalOf(() => readManifest(needs(many)))).toHaveLength(Limits.packageProblems)
  })
})

describe("A lock file of anyone", () => {
  it.each<readonly [what: string, lock: unknown, problem: RegExp]>([
    ["version 1", { lockfileVersion: 1, dependencies: {} }, /^lock_version/],
    ["no packages", { lockfileVersion: 3 }, /^lock_version/],
    ["no object", [], /^lock_unreadable/]
  ])("is refused in words: %s", (_, given, problem) => {
    expect(refusalOf(() => readLock(utf8(JSON.stringify(given))))).toEqual([expect.stringMatching(problem)])
  })
})
