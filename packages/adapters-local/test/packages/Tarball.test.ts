import { gzipSync } from "node:zlib"
import {
  type ArchiveEntry,
  archiveEnd,
  blocksOf,
  longNameEntry,
  packageEntries,
  paxEntry,
  tarOf,
  tgzOf
} from "@pawl/testing/registry/Archives"
import { unpack } from "@pawl/adapters-local/packages/Tarball"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"

const expected = { name: "good", version: "1.2.3" }
const manifest = packageEntries("good", "1.2.3")
const unpacked = (bytes: Uint8Array) => Effect.runPromise(unpack(bytes, expected))

/** The files beside package.json, as text by path. */
const filesOf = async (...entries: ReadonlyArray<ArchiveEntry>) => {
  const { files } = await unpacked(tgzOf([...manifest, ...entries]))
  return Object.fromEntries(
    files
      .filter(({ path }) => path !== "package.json")
      .map(({ content, path }) => [path, Buffer.from(content).toString()])
  )
}

describe("An archive of a package", () => {
  it("is unpacked below its first folder, whatever that is called", async () => {
    expect(
      await filesOf(
        { name: "package/index.js", content: "one" },
        { name: "node/lib/a.js", content: "two" },
        { name: "package/lib/", type: "5" },
        { name: "package//lib//b.js", content: "three" },
        { name: "package/./lib/./c.js", content: "four" }
      )
    ).toEqual({ "index.js": "one", "lib/a.js": "two", "lib/b.js": "three", "lib/c.js": "four" })
  })

  it("may have a name twice: the last one counts, as with npm", async () => {
    expect(
      await filesOf(
        { name: "package/index.js", content: "first", mode: 0o755 },
        { name: "package/other.js", content: "other" },
        { name: "package/index.js", content: "last" }
      )
    ).toEqual({ "other.js": "other", "index.js": "last" })
  })

  it("keeps of a file's mode whether it may be run, and nothing else", async () => {
    const { files } = await unpacked(
      tgzOf([
        ...manifest,
        { name: "package/cli.js", mode: 0o755 },
        { name: "package/set.js", mode: 0o6755 },
        { name: "package/plain.js", mode: 0o7666 }
      ])
    )
    expect(files.map(({ executable, path }) => [path, executable])).toEqual([
      ["package.json", false],
      ["cli.js", true],
      ["set.js", true],
      ["plain.js", false]
    ])
    expect(files.map((file) => Object.keys(file))).toEqual(files.map(() => ["path", "content", "executable"]))
  })

  it("may have long names, in the way of GNU, of pax and of ustar", async () => {
    const long = `${"folder/".repeat(20)}file.js`
    expect(
      await filesOf(
        longNameEntry(`package/gnu/${long}`),
        { name: "package/cut", content: "gnu" },
        paxEntry({ path: `package/pax/${long}`, mtime: "1" }),
        { name: "package/cut", content: "pax" },
        { name: "file.js", prefix: `package/ustar/${"folder/".repeat(12)}x`, content: "ustar" }
      )
    ).toEqual({ [`gnu/${long}`]: "gnu", [`pax/${long}`]: "pax", [`ustar/${"folder/".repeat(12)}x/file.js`]: "ustar" })
  })

  it("gives files of any length their whole content, also where it is unpacked in pieces", async () => {
    const large = "0123456789abcdef".repeat(40_000)
    const files = await filesOf(
      { name: "package/large.txt", content: large },
      { name: "package/empty.txt" },
      { name: "package/block.txt", content: "x".repeat(512) }
    )
    expect(files["large.txt"]).toBe(large)
    expect(files["empty.txt"]).toBe("")
    expect(files["block.txt"]).toBe("x".repeat(512))
  })

  it("may end without its end, and have anything behind it", async () => {
    const whole = Buffer.concat(manifest.map(blocksOf))
    const garbage = Buffer.from("garbage".repeat(1000))
    for (const bytes of [
      gzipSync(whole),
      gzipSync(Buffer.concat([whole, archiveEnd, garbage])),
      Buffer.concat([gzipSync(tarOf(manifest)), Buffer.alloc(512)])
    ])
      expect((await unpacked(bytes)).files.map(({ path }) => path)).toEqual(["package.json"])
  })

  it("may go on by gigabytes behind its end, which are not read", async () => {
    const zeros = gzipSync(Buffer.alloc(4 * 1024 * 1024))
    const { files } = await unpacked(
      Buffer.concat([gzipSync(tarOf(manifest)), ...Array.from({ length: 500 }, () => zeros)])
    )
    expect(files.map(({ path }) => path)).toEqual(["package.json"])
  })

  it("gets no link by a pax header that says so, and no mode", async () => {
    const { files } = await unpacked(
      tgzOf([
        ...manifest,
        paxEntry({ type: "SymbolicLink", linkpath: "/etc/passwd", mode: "NaN" }),
        { name: "package/plain", content: "plain" }
      ])
    )
    expect(files.at(-1)).toEqual({ path: "plain", content: Buffer.from("plain"), executable: false })
  })

  it("loses what tools would obey where it lies, and what stands beside its folder", async () => {
    expect(
      await filesOf(
        { name: "package/.git/config", content: "[core]" },
        { name: "package/lib/.GIT/hooks/pre-commit", content: "#!/bin/sh" },
        { name: "package/.npmrc", content: "registry=http://elsewhere" },
        { name: "package/node_modules/.bin/sh", content: "#!/bin/sh" },
        { name: "beside", content: "x" },
        { name: "package/.gitignore", content: "kept" }
      )
    ).toEqual({ ".gitignore": "kept" })
  })

  it("may bring packages of its own when it says so, and have folders of that name further down", async () => {
    const own = { name: "package/node_modules/own/index.js", content: "own" }
    const bundled = packageEntries("good", "1.2.3", {}, { bundleDependencies: ["own"] })
    const { files } = await unpacked(tgzOf([...bundled, own]))
    expect(files.map(({ path }) => path)).toEqual(["package.json", "node_modules/own/index.js"])
    expect(await filesOf({ name: "package/test/node_modules/x/index.js", content: "x" })).toEqual({
      "test/node_modules/x/index.js": "x"
    })
  })

  it("has a package.json that is read as npm reads it", async () => {
    for (const [name, version, front] of [
      ["good", "1.2.3", "\ufeff"],
      [" good ", "v1.2.3", ""],
      ["good", " =1.2.3", ""],
      ["good", "1.2.3+build", ""]
    ] as const) {
      const content = `${front}${JSON.stringify({ name, version, main: "x.js" })}`
      const { manifest: read } = await unpacked(tgzOf([{ name: "package/package.json", content }]))
      expect(read["main"]).toBe("x.js")
    }
  })

  it("has no keys in its package.json that reach a prototype", async () => {
    const content = `{"name":"good","version":"1.2.3","__proto__":{"bad":true},"bin":{"__proto__":{"bad":true},"constructor":"x"}}`
    const { manifest: read } = await unpacked(tgzOf([{ name: "package/package.json", content }]))
    expect(Object.keys(read)).toEqual(["name", "version", "bin"])
    expect(Object.keys(read["bin"] as object)).toEqual(["constructor"])
    expect(({} as Record<string, unknown>)["bad"]).toBe(undefined)
  })
})
