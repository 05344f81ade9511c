/** The whole store against whoever publishes packages or runs a registry. Many are in one lock: each is told of. */
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type PackageProblem, PackageStore } from "@pawl/core/packages/PackageStore"
import { integrityOf } from "@pawl/testing/registry/Archives"
import { slice } from "@pawl/testing/Depth"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hostileArchives } from "./HostileArchives.ts"
import { archiveBombs } from "./HostileContents.ts"
import { harmlessPrograms, hostilePrograms } from "./HostileManifests.ts"
import { hostileLocks } from "./HostileLocks.ts"
import { hostileRegistries } from "./HostileRegistries.ts"
import { entryOf, failureOf, layerOf, openKit, published, sourceWith, type StoreKit } from "./StoreKit.ts"

const good = published({ name: "good", files: { "index.js": "good" } })
const canary = "nobody touches this"

let kit: StoreKit
beforeAll(async () => {
  kit = await openKit(good)
  writeFileSync(join(kit.data, "canary"), canary)
})
afterAll(() => kit.close())

const run = <A, E>(effect: Effect.Effect<A, E, PackageStore>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, kit.layer))

type Entries = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The one problem of each place of a lock, by place. */
const problemsOf = async (entries: Entries): Promise<ReadonlyMap<string, PackageProblem>> => {
  const failure = await run(failureOf(layerOf(sourceWith(entries))))
  if (!Array.isArray(failure)) throw new Error(`no refusal: ${JSON.stringify(failure)}`)
  // A lock has its places in order.
  const places = Object.keys(entries).sort()
  const problems = failure as ReadonlyArray<PackageProblem>
  expect(problems.length).toBe(places.length)
  return new Map(places.map((place, at) => [place, problems[at]!]))
}

/** Every path below a folder, without following links. */
const below = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name)
    return each.isDirectory() ? [path, ...below(path)] : [path]
  })

/** The folder of the layer of a source, which is made. */
const layerFolder = async (entries: Entries): Promise<string> => {
  const { id } = await run(layerOf(sourceWith(entries)))
  return join(kit.data, "packages", "layers", id)
}

/** Nothing is where it should not be, and the store still works. */
const stillWell = async (): Promise<void> => {
  expect(readFileSync(join(kit.data, "canary"), "utf8")).toBe(canary)
  expect(readdirSync(kit.data).sort()).toEqual(["canary", "objects", "packages"])
  expect(readdirSync(join(kit.data, "packages")).sort()).toEqual(["layers", "unpacked", "work"])
  expect(readdirSync(join(kit.data, "packages", "work"))).toEqual([])
  for (const folder of [kit.data, dirname(kit.data), tmpdir(), "/etc", "/etc/cron.d", "/"])
    for (const name of ["victim", "pawned", "owned"]) expect(existsSync(join(folder, name))).toBe(false)
  const all = below(kit.data)
  expect(all.filter((path) => /victim|pawned|owned/.test(path))).toEqual([])
  for (const path of all) {
    const there = lstatSync(path)
    expect(there.isFile() || there.isDirectory() || (there.isSymbolicLink() && path.includes("/.bin/"))).toBe(true)
    expect(there.mode & 0o7000).toBe(0)
  }
  const folder = await layerFolder({ "node_modules/good": entryOf(good) })
  expect(readFileSync(join(folder, "node_modules/good/index.js"), "utf8")).toBe("good")
}

const numbered = <A>(prefix: string, all: ReadonlyArray<A>) =>
  all.map((each, at) => ({ each, name: `${prefix}-${at}` }))
const placeOf = (name: string) => `node_modules/${name}`

describe("A store of packages refuses", () => {
  const bombs = slice(archiveBombs, { quick: 1 })
  const tried = hostileArchives.filter((each) => bombs.includes(each) || !archiveBombs.includes(each))
  const archives = numbered("evil", tried)
  let problems: ReadonlyMap<string, PackageProblem>
  beforeAll(async () => {
    const packages = archives.map(({ each, name }) => ({ name, version: "1.0.0", archive: each.archive(name) }))
    kit.registry.publish(...packages)
    problems = await problemsOf(Object.fromEntries(packages.map((each) => [placeOf(each.name), entryOf(each)])))
  })

  it.each(archives)("an archive $each.title", ({ each: { code = "package_unsafe", says }, name }) => {
    const problem = problems.get(placeOf(name))!
    expect(problem.code).toBe(code)
    expect(problem.message.startsWith(`${name}@1.0.0 cannot be used: its archive `)).toBe(true)
    expect(problem.message).toMatch(says)
    expect(problem.message.length).toBeLessThan(500)
    expect([problem.file, typeof problem.line]).toEqual(["package-lock.json", "number"])
  })

  it("all of these without a trace, and works on", stillWell)
})

describe("A store of packages, where a registry misleads,", () => {
  const registries = numbered(
    "evil",
    hostileRegistries.filter(({ code }) => code !== null)
  )
  let problems: ReadonlyMap<string, PackageProblem>
  beforeAll(async () => {
    kit.registry.misbehave((request, response) => {
      const [, at] = /^\/evil-(\d+)/.exec(request.path) ?? []
      const path = request.path.replaceAll(`evil-${at}`, "evil")
      return registries[Number(at)]?.each.misbehaves({ ...request, path }, response) ?? false
    })
    problems = await problemsOf(
      Object.fromEntries(
        registries.map(({ name }) => [
          placeOf(name),
          { version: "1.0.0", integrity: integrityOf(Buffer.from(name), "sha256") }
        ])
      )
    )
    kit.registry.misbehave(null)
  })

  it.each(registries)("refuses what comes of one $each.title", ({ each: { code, says }, name }) => {
    const problem = problems.get(placeOf(name))!
    expect(problem.code).toBe(code)
    expect(problem.message).toContain(`${name}@1.0.0 cannot be had`)
    expect(problem.message).toMatch(says)
    expect(problem.message).not.toContain("secret")
  })

  it("is as it was", stillWell)
})

describe("A store of packages, where a registry lies about an archive,", () => {
  const other = published({ name: "other", files: { "index.js": "other" } })
  const lies: ReadonlyArray<readonly [title: string, body: Uint8Array]> = [
    ["with another package's archive", other.archive],
    ["with another version's archive", published({ name: "lied-1", version: "1.0.1" }).archive],
    ["with the same files, packed anew", Buffer.concat([good.archive, Buffer.alloc(1)])],
    ["with a page", Buffer.from("<!doctype html><title>Sign in</title>")],
    ["with nothing", new Uint8Array()],
    ["with less than there is", good.archive.subarray(0, good.archive.length - 1)]
  ]
  const told = lies.map(([title, body], at) => ({ title, body, name: `lied-${at}` }))
  let problems: ReadonlyMap<string, PackageProblem>
  beforeAll(async () => {
    kit.registry.misbehave(({ path }, response) => {
      const lie = told.find(({ name }) => path.startsWith(`/${name}/`) && path.endsWith(".tgz"))
      if (lie === undefined) return false
      response.writeHead(200).end(lie.body)
      return true
    })
    problems = await problemsOf(
      Object.fromEntries(told.map(({ name }) => [placeOf(name), entryOf(published({ name }))]))
    )
    kit.registry.misbehave(null)
  })

  it.each(told)("refuses one $title", ({ name }) => {
    expect(problems.get(placeOf(name))).toMatchObject({
      code: "integrity_mismatch",
      message: expect.stringContaining(`${name}@1.0.0 is not what the lock says`) as string
    })
  })

  it("refuses an archive that is the right bytes of another package", async () => {
    kit.registry.publish({ ...other, name: "alias" })
    const problems = await problemsOf({ "node_modules/alias": entryOf(other) })
    expect(problems.get("node_modules/alias")).toMatchObject({ code: "package_not_as_locked" })
  })

  it("keeps none of them: once the registry is honest, the package is there", async () => {
    const lied = published({ name: "lied-0", files: { "index.js": "true" } })
    kit.registry.publish(lied)
    const folder = await layerFolder({ "node_modules/lied-0": entryOf(lied) })
    expect(readFileSync(join(folder, "node_modules/lied-0/index.js"), "utf8")).toBe("true")
    await stillWell()
  })

  it("waits for one that is away, and calls no package wrong for it", async () => {
    const away = published({ name: "away" })
    for (const status of slice([500, 429, 401, 304], { quick: 1 })) {
      kit.registry.misbehave((_, response) => {
        response.writeHead(status).end()
        return true
      })
      expect(await run(failureOf(layerOf(sourceWith({ "node_modules/away": entryOf(away) }))))).toMatchObject({
        _tag: "PackagesUnavailable",
        reason: expect.stringContaining("away@1.0.0") as string
      })
    }
    kit.registry.misbehave(null)
  })
})

describe("A store of packages, of what a package.json says,", () => {
  const refused = numbered("program", hostilePrograms)
  const taken = numbered("harmless", harmlessPrograms)
  const publish = (all: ReadonlyArray<{ readonly name: string; readonly each: (typeof hostilePrograms)[number] }>) => {
    const packages = all.map(({ each, name }) => published({ name, manifest: each.manifest, files: each.files ?? {} }))
    kit.registry.publish(...packages)
    return Object.fromEntries(packages.map((each) => [placeOf(each.name), entryOf(each)]))
  }
  let problems: ReadonlyMap<string, PackageProblem>
  let programs: ReadonlyArray<string>
  let packages: ReadonlyArray<string>
  beforeAll(async () => {
    problems = await problemsOf(publish(refused))
    const folder = await layerFolder(publish(taken))
    packages = readdirSync(join(folder, "node_modules"))
    programs = existsSync(join(folder, "node_modules/.bin")) ? readdirSync(join(folder, "node_modules/.bin")) : []
  })

  it.each(refused)("refuses $each.title", ({ name }) => {
    const problem = problems.get(placeOf(name))!
    expect(problem.code).toBe("package_program")
    expect(problem.message.startsWith(`${name}@1.0.0 cannot be used: it `)).toBe(true)
  })

  it.each(taken)("takes no $each.title, and the package without it", ({ each: { absent }, name }) => {
    expect(programs).not.toContain(absent)
    expect(packages).toContain(name)
  })

  it("has no program at all where none has an honest name", () => expect(programs).toEqual([]))

  it("runs nothing: no script, whatever it is called, and no build of a native module", async () => {
    const marker = join(kit.data, "packages", "owned")
    const touch = `touch ${marker}`
    const names = "preinstall install postinstall prepublish preprepare prepare postprepare prepack dependencies".split(
      " "
    )
    const scripts = Object.fromEntries(names.map((name) => [name, touch]))
    const all = [
      published({ name: "scripted", manifest: { scripts, main: "index.js" }, files: { "index.js": "1" } }),
      published({
        name: "configured",
        files: {
          "index.js": "1",
          ".npmrc": `script-shell=${touch}`,
          ".git/hooks/post-checkout": touch,
          "server.js": touch
        }
      })
    ]
    const native = published({ name: "native", files: { "binding.gyp": `{"x":"<!(${touch})"}`, "a.cc": "int x;" } })
    kit.registry.publish(...all, native)
    const folder = await layerFolder(Object.fromEntries(all.map((each) => [placeOf(each.name), entryOf(each)])))
    expect(readdirSync(join(folder, "node_modules/configured")).sort()).toEqual([
      "index.js",
      "package.json",
      "server.js"
    ])
    await run(failureOf(layerOf(sourceWith({ "node_modules/native": entryOf(native) }))))
    expect(existsSync(marker)).toBe(false)
    await stillWell()
  })

  it("takes names of prototypes for names", async () => {
    const manifest = JSON.parse(
      `{"__proto__":{"bin":{"a":"x.js"}},"bin":{"__proto__":"x.js","constructor":"x.js"}}`
    ) as object
    const named = ["constructor", "tostring", "hasownproperty", "valueof"].map((name) =>
      published({ name, manifest: { ...manifest, scripts: { __proto__: null } }, files: { "x.js": "1" } })
    )
    kit.registry.publish(...named)
    const folder = await layerFolder(Object.fromEntries(named.map((each) => [placeOf(each.name), entryOf(each)])))
    expect(readdirSync(join(folder, "node_modules/.bin"))).toEqual(["constructor"])
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})

describe("A store of packages, of what a lock says,", () => {
  it.each(hostileLocks)("refuses $title before anything is asked for", async ({ code, fields, place }) => {
    const before = kit.registry.asked().length
    const own = { name: "app" }
    const lock = JSON.stringify({ lockfileVersion: 3, packages: { "": own } }).replace(
      "}}}",
      `},${JSON.stringify(place)}:${JSON.stringify(fields)}}}`
    )
    const files = new Map([
      ["package.json", Buffer.from(JSON.stringify(own))],
      ["package-lock.json", Buffer.from(lock)]
    ])
    const read = await run(Effect.flatMap(PackageStore, (store) => store.read(files)))
    if (read._tag !== "Refused") throw new Error(JSON.stringify(read))
    expect(read.problems.map((problem) => problem.code)).toEqual([code])
    expect(kit.registry.asked().length).toBe(before)
  })

  it("goes by the strongest digest of several: a weak one that fits is nothing", async () => {
    const one = published({ name: "several" })
    kit.registry.publish(one)
    const digests = (strong: Uint8Array) =>
      ["sha1", "md5", "sha512"].map((each) => integrityOf(each === "sha512" ? strong : one.archive, each)).join(" ")
    const problems = await problemsOf({
      "node_modules/several": { version: "1.0.0", integrity: digests(Buffer.from("other")) }
    })
    expect(problems.get("node_modules/several")).toMatchObject({ code: "integrity_mismatch" })
    await layerFolder({ "node_modules/several": { version: "1.0.0", integrity: digests(one.archive) } })
    await stillWell()
  })
})
