import type { ManifestFiles, ReadLock } from "@pawl/core/packages/PackageStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { describe, expect, it } from "vitest"
import { LocalLimits } from "../../src/LocalLimits.ts"
import { remembering } from "../../src/packages/KnownLocks.ts"

const files = (lock: string, manifest = "{}"): ManifestFiles =>
  new Map([
    ["package.json", utf8(manifest)],
    ["package-lock.json", utf8(lock)]
  ])

const reader = () => {
  const asked: Array<ManifestFiles> = []
  const read = remembering((manifests): ReadLock => {
    asked.push(manifests)
    return { _tag: "Refused", problems: [] }
  })
  return { asked, read }
}

describe("a lock that was read", () => {
  it("is not read again for the same bytes, in whatever order the files stand", () => {
    const { asked, read } = reader()
    const first = read(files("one"))
    expect(read(new Map([...files("one")].toReversed()))).toBe(first)
    expect(asked).toHaveLength(1)
  })

  it("is another one for every other byte, name, and border between files", () => {
    const { asked, read } = reader()
    const all = [
      files("one"),
      files("two"),
      files("one", "{ }"),
      files("one{}", ""),
      new Map([...files("one"), ["pnpm-lock.yaml", utf8("")]])
    ]
    expect(new Set(all.map(read)).size).toBe(all.length)
    expect(asked).toHaveLength(all.length)
  })

  it("is forgotten when others were asked for since, and not before", () => {
    const { asked, read } = reader()
    const others = Array.from({ length: LocalLimits.locksKnown - 1 }, (_, at) => files(`other ${at}`))
    read(files("kept"))
    others.forEach(read)
    read(files("kept"))
    expect(asked).toHaveLength(LocalLimits.locksKnown)
    read(files("one more"))
    read(files("kept"))
    expect(asked).toHaveLength(LocalLimits.locksKnown + 1)
    read(files("other 0"))
    expect(asked).toHaveLength(LocalLimits.locksKnown + 2)
  })
})
