import { describe, expect, it } from "vitest"
import type { LockedPackage, PackageLock } from "@pawl/core/packages/PackageLock"
import {
  factsWanted,
  concernInWords,
  judgePackages,
  type PackageInput,
  versionKey
} from "@pawl/core/verification/PackageRules"
import { type PlanInput, planOf } from "@pawl/core/verification/PlanRules"
import { defaultPolicy } from "@pawl/core/model/Policy"
import * as Time from "@pawl/core/primitives/Time"

interface Entry {
  readonly name: string
  /** What package.json calls it, where that is another name. */
  readonly alias?: string
  readonly version?: string
  readonly scripts?: boolean | null
  readonly direct?: boolean
}

const lock = (...entries: ReadonlyArray<Entry>): PackageLock => ({
  file: "package-lock.json",
  format: "npm",
  packages: entries.map(({ alias, name, scripts = false, version = "1.0.0" }, at): LockedPackage => ({
    path: `node_modules/${alias ?? name}`,
    name,
    version,
    integrity: "sha512-x",
    dev: false,
    optional: false,
    installScript: scripts,
    line: at + 10
  })),
  links: [],
  direct: entries
    .filter(({ direct = false }) => direct)
    .map(({ alias, name }) => ({ name: alias ?? name, range: alias === undefined ? "*" : `npm:${name}@*`, dev: false }))
})

/** The same as pnpm lays it out: packages below `.pnpm`, links to those that package.json names, and no word of scripts. */
const pnpmLock = (...entries: ReadonlyArray<Entry>): PackageLock => {
  const { direct, packages } = lock(...entries.map((entry) => ({ ...entry, scripts: null })))
  const placed = packages.map((each) => ({
    ...each,
    path: `node_modules/.pnpm/${each.name}@${each.version}/node_modules/${each.name}`
  }))
  const links = entries.flatMap(({ alias, direct: isDirect, name }, at) =>
    isDirect === true ? [{ path: `node_modules/${alias ?? name}`, target: placed[at]!.path }] : []
  )
  return { file: "pnpm-lock.yaml", format: "pnpm", packages: placed, links, direct }
}

const nowMs = Time.toMillis("2026-06-11T12:00:00.000Z")
const input = (also: Partial<PackageInput>): PackageInput => ({
  base: lock({ name: "old", direct: true }),
  candidate: lock({ name: "old", direct: true }),
  paths: [],
  policy: {},
  publishedAtMs: new Map(),
  installScripts: new Map(),
  nowMs,
  ...also
})

const plan = (packages: Partial<PackageInput>, also: Partial<PlanInput> = {}) =>
  planOf({
    base: [{ id: "test", command: "true", required: true, timeoutMs: 1000 }],
    candidate: [{ id: "test", command: "true", required: true, timeoutMs: 1000 }],
    paths: ["README.md"],
    altered: [],
    scripted: new Set(),
    assets: null,
    scripts: { base: {}, candidate: {} },
    packages: judgePackages(input(packages)),
    taskKinds: ["implement"],
    hasApp: true,
    policy: {
      projectId: "proj_00000000-0000-4000-8000-000000000000",
      version: 4,
      ...defaultPolicy,
      updatedAt: "2026-01-01T00:00:00.000Z",
      updatedBy: "x"
    },
    now: Time.fromMillis(nowMs),
    ...also
  })
const concerns = (also: Partial<PackageInput>) =>
  (judgePackages(input(also))?.concerns ?? []).map(({ concern, name }) => [concern, name])

const old = { name: "old", direct: true }
const daysAgo = (days: number) => new Map([[versionKey("fresh", "1.0.0"), nowMs - days * Time.dayMs]])
const fresh = lock(old, { name: "fresh" })

describe("The risk of packages", () => {
  const rows: ReadonlyArray<readonly [what: string, risk: string, Partial<PackageInput>]> = [
    ["nothing that is other than before", "low", {}],
    ["a package that is gone", "low", { candidate: lock() }],
    ["a version that moved", "low", { candidate: lock({ ...old, version: "1.1.0" }) }],
    ["a new package of a package", "low", { candidate: fresh }],
    ["a new direct package", "medium", { candidate: lock(old, { name: "fresh", direct: true }) }],
    ["a package that became direct", "medium", { base: lock({ name: "old" }) }],
    [
      "a package with an install script that became direct",
      "high",
      { base: lock({ name: "old", scripts: true }), candidate: lock({ ...old, scripts: true }) }
    ],
    [
      "a young package that became direct",
      "high",
      {
        base: lock({ name: "old" }),
        policy: { minAgeDays: 7 },
        publishedAtMs: new Map([[versionKey("old", "1.0.0"), nowMs - Time.dayMs]])
      }
    ],
    ["the first lock", "medium", { base: null }],
    [
      "a new direct package with an install script",
      "high",
      { candidate: lock(old, { name: "fresh", direct: true, scripts: true }) }
    ],
    [
      "a new package of a package with an install script",
      "high",
      { candidate: lock(old, { name: "fresh", scripts: true }) }
    ],
    [
      "a version that moved, with an install script",
      "high",
      { candidate: lock({ ...old, version: "2.0.0", scripts: true }) }
    ],
    [
      "an install script of the base",
      "low",
      { base: lock({ ...old, scripts: true }), candidate: lock({ ...old, scripts: true }) }
    ],
    [
      "a package younger than asked for",
      "high",
      { candidate: fresh, policy: { minAgeDays: 7 }, publishedAtMs: daysAgo(6.9) }
    ],
    ["a package of the very age", "low", { candidate: fresh, policy: { minAgeDays: 7 }, publishedAtMs: daysAgo(7) }],
    ["a package of tomorrow", "high", { candidate: fresh, policy: { minAgeDays: 1 }, publishedAtMs: daysAgo(-1) }],
    ["a package whose age nobody told", "high", { candidate: fresh, policy: { minAgeDays: 7 } }],
    [
      "a young package where no age is asked for",
      "low",
      { candidate: fresh, policy: { minAgeDays: 0 }, publishedAtMs: daysAgo(0) }
    ],
    ["a young package of the base", "low", { base: fresh, candidate: fresh, policy: { minAgeDays: 7 } }]
  ]

  it.each(rows)("of %s is %s", (_, risk, packages) => expect(plan(packages).riskTier).toBe(risk))

  it("stands in the plan with what it was judged by, the gravest first, and needs the approval of its tier", () => {
    const candidate = lock(old, { name: "fresh", direct: true }, { name: "hook", scripts: true })
    const made = plan({ candidate, policy: { minAgeDays: 30 }, publishedAtMs: daysAgo(3) })
    expect(made).toMatchObject({ riskTier: "high", approvalRequired: true })
    expect(made.packages?.concerns.map((each) => concernInWords(each, made))).toEqual([
      "package-lock.json:11: fresh@1.0.0: it was published 3 day(s) ago, later than the Project's Policy (version 4) asks for (packages.minAgeDays).",
      "package-lock.json:12: hook@1.0.0: the registry did not say when it was published, and the Project's Policy (version 4) asks for an age (packages.minAgeDays).",
      "package-lock.json:12: hook@1.0.0: it asks for scripts when it is installed, which never run here.",
      "package-lock.json:11: fresh@1.0.0: package.json asks for it, and the base's does not."
    ])
    expect(plan({}).packages).toBeUndefined()
  })

  it("asks for the age of what became direct, once", () => {
    const asked = factsWanted(lock({ name: "old" }), lock(old, { name: "fresh", direct: true }), { minAgeDays: 7 })
    expect(asked.map(({ name }) => name).toSorted()).toEqual(["fresh", "old"])
  })

  it("names so many packages and counts the rest", () => {
    const many = Array.from({ length: 50 }, (_, n) => ({ name: `p${n}`, direct: true }))
    const candidate = lock(old, ...many, { name: "hook", scripts: true })
    const { packages } = plan({ candidate })
    expect([packages?.concerns.length, packages?.count, packages?.concerns[0]?.name]).toEqual([20, 51, "hook"])
  })

  it("asks the age of what is added or moved alone, and of nothing where the Policy asks for none", () => {
    const after = lock({ ...old, version: "2.0.0" }, { name: "fresh" })
    expect(factsWanted(lock(old, { name: "gone" }), after, { minAgeDays: 1 })).toEqual([
      { name: "fresh", version: "1.0.0" },
      { name: "old", version: "2.0.0" }
    ])
    expect(factsWanted(null, after, {})).toEqual([])
  })
})

describe("A package under another name", () => {
  const real = { name: "react", alias: "foo", version: "18.0.0", direct: true }
  const candidate = lock(old, real)

  it("is judged by its own: what is denied, allowed, asked for, and told", () => {
    expect(concerns({ candidate })).toEqual([["new_direct", "react"]])
    expect(concerns({ candidate, policy: { allow: ["react"] } })).toEqual([["new_direct", "react"]])
    expect(concerns({ candidate, policy: { deny: ["foo"] } })).toEqual([["new_direct", "react"]])
    expect(concerns({ candidate, policy: { deny: ["react"] } })).toContainEqual(["denied", "react"])
    expect(factsWanted(lock(old), candidate, { minAgeDays: 7 })).toEqual([{ name: "react", version: "18.0.0" }])
    expect(judgePackages(input({ candidate }))?.concerns[0]).toMatchObject({ version: "18.0.0", line: 11 })
  })

  it("is another direct package when the name stands for another", () => {
    const moved = lock(old, { ...real, name: "evil" })
    expect(concerns({ base: candidate, candidate: moved })).toEqual([["new_direct", "evil"]])
    expect(concerns({ base: candidate, candidate })).toEqual([])
  })
})

describe("A lock of pnpm", () => {
  const base = pnpmLock(old)
  const more = pnpmLock(old, { name: "fresh", direct: true })
  const says = (asks: boolean, name = "fresh") => new Map([[versionKey(name, "1.0.0"), asks]])

  it("says nothing of scripts: the registry does, and what nobody said counts as high", () => {
    const of = (installScripts: ReadonlyMap<string, boolean>) => plan({ base, candidate: more, installScripts })
    expect(of(says(true))).toMatchObject({ riskTier: "high" })
    expect(of(says(true)).packages?.concerns.map(({ concern }) => concern)).toEqual(["install_script", "new_direct"])
    expect(of(says(false))).toMatchObject({ riskTier: "medium" })
    const unknown = of(new Map())
    expect(unknown.riskTier).toBe("high")
    expect(unknown.packages?.concerns.map((each) => concernInWords(each, unknown))).toEqual([
      "pnpm-lock.yaml:11: fresh@1.0.0: neither its lock nor the registry said whether it asks for scripts when it is installed.",
      "pnpm-lock.yaml:11: fresh@1.0.0: package.json asks for it, and the base's does not."
    ])
  })

  it("has its direct packages behind links: one that became direct is asked for its age and its scripts", () => {
    const input = { base: pnpmLock({ name: "old" }), candidate: base, policy: { minAgeDays: 7 } }
    expect(factsWanted(input.base, input.candidate, {})).toEqual([{ name: "old", version: "1.0.0" }])
    const publishedAtMs = new Map([[versionKey("old", "1.0.0"), nowMs - Time.dayMs]])
    expect(concerns({ ...input, publishedAtMs, installScripts: says(true, "old") })).toEqual([
      ["too_young", "old"],
      ["install_script", "old"],
      ["new_direct", "old"]
    ])
  })

  it("is asked about only where it moved", () => {
    expect(factsWanted(base, base, {})).toEqual([])
    expect(concerns({ base, candidate: base })).toEqual([])
  })
})

describe("The names of a Policy", () => {
  const candidate = lock(old, { name: "@evil/stream" }, { name: "React-Dom" }, { name: "left-pad" })
  const denied = (...deny: ReadonlyArray<string>) => concerns({ candidate, policy: { deny } }).map(([, name]) => name)

  it("refuse what `deny` names, of whatever depth and however it is written", () => {
    expect(denied("@evil/*")).toEqual(["@evil/stream"])
    expect(denied("react-dom", "LEFT-PAD")).toEqual(["React-Dom", "left-pad"])
    expect(denied("*stream")).toEqual(["@evil/stream"])
    expect(denied("*")).toEqual(["@evil/stream", "React-Dom", "left-pad"])
    expect(denied("left", "evil/*", "@evil", "react*x")).toEqual([])
  })

  it("refuse all that `allow` does not name, and `deny` goes before", () => {
    const policy = { allow: ["react-*", "left-pad"], deny: ["left-*"] }
    expect(concerns({ candidate, policy })).toEqual([
      ["denied", "left-pad"],
      ["not_allowed", "@evil/stream"]
    ])
    expect(concerns({ candidate, policy: { allow: [] } }).length).toBe(3)
  })

  it("judge nothing that the base has already: it moves freely out, and is judged when its version moves", () => {
    const deny = ["old", "left-pad"]
    expect(concerns({ policy: { deny } })).toEqual([])
    expect(concerns({ candidate: lock(), policy: { deny } })).toEqual([])
    expect(concerns({ candidate: lock({ ...old, version: "1.0.1" }), policy: { deny } })).toEqual([["denied", "old"]])
  })

  it("hold for what is vendored, by its folder", () => {
    const paths = ["node_modules/a/node_modules/@evil/x/index.js", "node_modules/a/package.json", "src/node_modules.ts"]
    expect(concerns({ candidate: null, base: null, paths, policy: { deny: ["@evil/*"] } })).toEqual([
      ["denied", "@evil/x"]
    ])
    expect(concerns({ candidate: null, base: null, paths, policy: { allow: ["@evil/*"] } })).toEqual([
      ["not_allowed", "a"]
    ])
  })

  it("leave a Candidate one check, which fails in words: nothing of it is fetched, built or run", () => {
    const made = plan({ candidate, policy: { deny: ["left-pad"] } })
    expect(made.riskTier).toBe("high")
    expect(made.checks).toMatchObject([{ id: "packages@policy", kind: "packages", required: true }])
    expect(made.packages?.concerns.map((each) => concernInWords(each, made))).toEqual([
      "package-lock.json:13: left-pad@1.0.0: the Project's Policy (version 4) denies it (packages.deny). Take the package out, or let an admin change the Policy."
    ])
  })
})
