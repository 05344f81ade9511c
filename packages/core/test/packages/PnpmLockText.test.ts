import { readPnpmText } from "@pawl/core/packages/PnpmLockText"
import { utf8 } from "@pawl/core/primitives/Digest"
import { describe, expect, it } from "vitest"

const read = (text: string) => readPnpmText(utf8(text))

describe("A lock of pnpm, as pnpm writes it", () => {
  const text = `lockfileVersion: '9.0'

settings:
  autoInstallPeers: true

importers:

  .:
    dependencies:
      '@s/a':
        specifier: '>=1 <2'
        version: 1.0.0(b@1.0.0)

packages:

  '@s/a@1.0.0':
    resolution: {integrity: sha512-A/+==, tarball: https://registry.npmjs.org/@s/a/-/a-1.0.0.tgz}
    engines: {node: '>=18', "npm": '*'}
    cpu: [x64, '!arm']
    deprecated: |-
      It's old: use another

      or none
    peerDependencies:
      b: ^1.0.0

  b@1.0.0: {}

snapshots:

  '@s/a@1.0.0(b@1.0.0)':
    dependencies:
      b: 1.0.0
    transitivePeerDependencies:
      - supports-color
      - '@types/node'
`
  it("is read as maps, lists and texts", () => {
    expect(read(text)).toEqual({
      lockfileVersion: "9.0",
      settings: { autoInstallPeers: "true" },
      importers: { ".": { dependencies: { "@s/a": { specifier: ">=1 <2", version: "1.0.0(b@1.0.0)" } } } },
      packages: {
        "@s/a@1.0.0": {
          resolution: { integrity: "sha512-A/+==", tarball: "https://registry.npmjs.org/@s/a/-/a-1.0.0.tgz" },
          engines: { node: ">=18", npm: "*" },
          cpu: ["x64", "!arm"],
          deprecated: expect.stringContaining("use another"),
          peerDependencies: { b: "^1.0.0" }
        },
        "b@1.0.0": {}
      },
      snapshots: {
        "@s/a@1.0.0(b@1.0.0)": {
          dependencies: { b: "1.0.0" },
          transitivePeerDependencies: ["supports-color", "@types/node"]
        }
      }
    })
  })

  it("is the same with the ends of lines of Windows", () => {
    expect(read(text.replaceAll("\n", "\r\n"))).toEqual(read(text))
  })

  it("keeps keys of a prototype as keys", () => {
    expect(Object.keys(read("packages:\n  __proto__:\n    a: b\n")?.["packages"] as object)).toEqual(["__proto__"])
  })
})

describe("What pnpm would not write", () => {
  it.each([
    ["a key twice", "a: b\na: c\n"],
    ["an alias", "a: &x b\nc: *x\n"],
    ["a tag", "a: !!str b\n"],
    ["a key of several words", "? a\n: b\n"],
    ["a map on a line without an end", "a: {b: c\n"],
    ["a key twice on a line", "a: {b: c, b: d}\n"],
    ["more after a quoted word", "a: 'b' c\n"],
    ["two documents", "a: b\n---\nc: d\n"],
    ["lines further in than any key", "a: b\n    c: d\n"],
    ["lines that go back to nowhere", "a:\n    b: c\n  d: e\n"],
    ["tabs", "a:\n\tb: c\n"],
    ["a remark", "a: b # c\n"],
    ["conflict marks", "<<<<<<< ours\na: b\n=======\na: c\n>>>>>>> theirs\n"],
    ["maps without end", `a: ${"{a: ".repeat(10_000)}\n`],
    ["depth without end", Array.from({ length: 100 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")]
  ])("is none: %s", (_, text) => {
    expect(read(text)).toBeNull()
  })

  it("is none when it is not UTF-8", () => {
    expect(readPnpmText(new Uint8Array([0x61, 0xff]))).toBeNull()
  })
})
