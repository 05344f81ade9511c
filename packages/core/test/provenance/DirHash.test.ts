import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { dirHash } from "@pawl/core/provenance/DirHash"

/** Paths whose order differs by bytes, by UTF-16 units and by folders. */
const texts: Readonly<Record<string, string>> = {
  "a/b.txt": "one",
  "a.txt": "two",
  "a-b.txt": "",
  "\u{1f600}.txt": "beyond the first plane",
  "\ufb01.txt": "in it",
  "Z.txt": "large letter first",
  "z/y/x.bin": "x".repeat(5_000)
}

const files = new Map(Object.entries(texts).map(([path, text]) => [path, { content: new TextEncoder().encode(text) }]))

const bySha256sum = (folder: string): string => {
  for (const [path, { content }] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const script = "find . -type f -printf '%P\\0' | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum"
  return execFileSync("sh", ["-c", script], { cwd: folder, encoding: "utf8" }).slice(0, 64)
}

describe("The SHA-256 list of a tree", () => {
  it("is what sha256sum says of its files, sorted by the bytes of their paths", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-dirhash-"))
    try {
      expect(await Effect.runPromise(dirHash(files))).toBe(bySha256sum(folder))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("is another when a file moves, and of no files the hash of nothing", async () => {
    const moved = new Map([...files].map(([path, file]) => [path === "a.txt" ? "b.txt" : path, file]))
    expect(await Effect.runPromise(dirHash(moved))).not.toBe(await Effect.runPromise(dirHash(files)))
    expect(await Effect.runPromise(dirHash(new Map()))).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
  })
})
