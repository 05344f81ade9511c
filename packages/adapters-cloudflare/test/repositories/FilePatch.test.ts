import * as FastCheck from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { rounds, seed } from "@pawl/testing/Depth"
import { textBytes } from "@pawl/adapters-cloudflare/repositories/Bytes"
import { type FilePatch, patchOf } from "@pawl/adapters-cloudflare/repositories/FilePatch"
import { type GitObject, gitObject } from "@pawl/adapters-cloudflare/repositories/GitObject"
import { packOf } from "@pawl/adapters-cloudflare/repositories/Pack"
import { type Files, treeObjects, type TreeFile } from "@pawl/adapters-cloudflare/repositories/Tree"
import { utf8 } from "@pawl/core/primitives/Digest"
import { nativeRepository } from "./NativeMerges.ts"
import { versions } from "./RandomSources.ts"

const native = nativeRepository()
afterAll(native.remove)

const version = (file: TreeFile | undefined) =>
  file?.object === undefined ? undefined : { id: file.id, executable: file.executable, content: file.object.body }

const patchesOf = (before: Files, after: Files): ReadonlyArray<FilePatch> =>
  [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .filter(
      (path) =>
        before.get(path)?.id !== after.get(path)?.id || before.get(path)?.executable !== after.get(path)?.executable
    )
    .map((path) => patchOf(path, version(before.get(path)), version(after.get(path))))

const textFile = (text: string) => {
  const object = gitObject("blob", utf8(text))
  return { id: object.id, executable: false, content: object.body }
}

describe("The patch of a file without git", () => {
  it("makes of the one tree the other when git applies it, whatever changed", () => {
    const changes = versions
      .map(({ base, ours }) => ({
        before: treeObjects(base),
        after: treeObjects(ours),
        patches: patchesOf(base, ours)
      }))
      // A patch without the bytes of a binary file is for people.
      .filter(({ patches }) => patches.length > 0 && !patches.some(({ isBinary }) => isBinary))
    const cases = FastCheck.sample(changes, { numRuns: rounds({ quick: 30, deep: 150, long: 300 }), seed })
    const objects = new Map<string, GitObject>()
    for (const { after, before } of cases)
      for (const each of [...before.objects, ...after.objects]) objects.set(each.id, each)
    native.index(packOf([...objects.values()]))
    for (const { after, before, patches } of cases) {
      native.git(["read-tree", before.tree])
      native.git(
        ["apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", "-"],
        textBytes(patches.map(({ text }) => text).join(""))
      )
      expect(native.git(["write-tree"]).trim()).toBe(after.tree)
    }
  })

  it("names the function in which it stands, marks a missing newline, and quotes a name as git does", () => {
    const old = `function one() {\n${"  a\n".repeat(6)}  b\n}\n`
    expect(patchOf("x.js", textFile(old), textFile(old.replace("b", "c"))).text).toContain(
      "@@ -5,5 +5,5 @@ function one() {\n   a\n   a\n   a\n-  b\n+  c\n }\n"
    )
    expect(patchOf("x", textFile("a"), textFile("a\n")).text).toContain(
      "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
    )
    const named = patchOf(`a "b" c`, undefined, textFile("1\n")).text
    expect(named).toContain(`diff --git "a/a \\"b\\" c" "b/a \\"b\\" c"\nnew file mode 100644\n`)
    expect(named).toContain(`--- /dev/null\n+++ "b/a \\"b\\" c"\t\n@@ -0,0 +1 @@\n+1\n`)
  })

  it("of a binary file says only that it differs, and of a file whose mode alone changed only the modes", () => {
    const one = textFile("\0a")
    expect(patchOf("b", one, textFile("\0b"))).toMatchObject({
      isBinary: true,
      additions: 0,
      text: expect.stringContaining("Binary files a/b and b/b differ\n")
    })
    const same = textFile("x\n")
    expect(patchOf("m", same, { ...same, executable: true }).text).toBe(
      "diff --git a/m b/m\nold mode 100644\nnew mode 100755\n"
    )
  })
})
