/** Patches of real git, applied by the core and by git. */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rounds, seed } from "@pawl/testing/Depth"
import { utf8 } from "@pawl/core/primitives/Digest"
import { patchEdits } from "@pawl/core/changeset/PatchEdits"
import { readPatch } from "@pawl/core/changeset/PatchText"
import { Result } from "effect"
import * as FastCheck from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

type Files = ReadonlyMap<string, string>

const root = mkdtempSync(join(tmpdir(), "patches-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const git = (args: ReadonlyArray<string>, input?: string) => {
  const { status, stderr, stdout } = spawnSync("git", args, {
    cwd: root,
    input,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", HOME: root }
  })
  return { isGood: status === 0, stderr, stdout }
}

const did = (args: ReadonlyArray<string>, input?: string): string => {
  const { isGood, stderr, stdout } = git(args, input)
  if (!isGood) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  return stdout
}

beforeAll(() => did(["init", "-q"]))

/** Commits these files and no others to a branch each. */
const commit = (branches: Readonly<Record<string, Files>>): void => {
  const files = (each: Files) =>
    [...each].map(([path, text]) => `M 100644 inline ${path}\ndata ${utf8(text).length}\n${text}\n`)
  const commits = Object.entries(branches).map(
    ([branch, each]) =>
      `commit refs/heads/${branch}\ncommitter x <x@x> 1 +0000\ndata 0\ndeleteall\n${files(each).join("")}`
  )
  did(["fast-import", "--quiet", "--force"], commits.join(""))
}

const blobOf = (text: string): string => {
  const bytes = utf8(text)
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}

const listed = (blobs: Iterable<readonly [string, string]>) => [...blobs].map((each) => each.join(" ")).toSorted()

/** What git makes of a patch on a branch, by path and blob; null when it refuses. */
const byGit = (branch: string, patch: string): ReadonlyArray<string> | null => {
  // A git that died of a patch leaves it.
  rmSync(join(root, ".git/index.lock"), { force: true })
  did(["read-tree", branch])
  if (!git(["apply", "--cached", "-"], patch).isGood) return null
  const entries = did(["ls-files", "-s", "-z"]).split("\0").filter(Boolean)
  return listed(entries.map((each) => [each.slice(each.indexOf("\t") + 1), each.slice(7, 47)] as const))
}

/** What the core makes of it. */
const byUs = (files: Files, patch: string): ReadonlyArray<string> | null => {
  const base = {
    paths: new Set(files.keys()),
    files: new Map([...files].map(([path, text]) => [path, { content: utf8(text), executable: false }]))
  }
  const edits = Result.flatMap(readPatch(patch), (read) => patchEdits(read, base))
  if (Result.isFailure(edits)) return null
  const after = new Map<string, string>(files)
  for (const [path, content] of Object.entries(edits.success))
    if (typeof content === "string") after.set(path, content)
    else after.delete(path)
  return listed([...after].map(([path, text]) => [path, blobOf(text)] as const))
}

// Few words, so that the same lines stand in many places.
const line = FastCheck.constantFrom(
  "",
  "a",
  "b",
  "c",
  "  a",
  "é😀",
  "-- a",
  "++ b",
  "@@ -1 +1 @@",
  "\\ No newline",
  "x\r"
)
const text = FastCheck.record({
  lines: FastCheck.array(line, { minLength: 0, maxLength: 30, size: "max" }),
  isEnded: FastCheck.boolean()
}).map(({ isEnded, lines }) => lines.join("\n") + (isEnded && lines.length > 0 ? "\n" : ""))

const paths = ["a.txt", "src/b.ts", "with space.txt", "ü/é.txt", 'quo"te.txt', "c b/c.txt", "d"]
const path = FastCheck.constantFrom(...paths)
const sources = FastCheck.uniqueArray(FastCheck.tuple(path, text), {
  minLength: 1,
  maxLength: 5,
  size: "max",
  selector: ([name]) => name
}).map((each) => new Map(each))

const edit = FastCheck.record({
  /** Which of the files that there are at first. */
  which: FastCheck.nat(4),
  what: FastCheck.constantFrom("lines", "lines", "lines", "delete", "rename", "copy", "create"),
  to: FastCheck.constantFrom("e.txt", "new/f g.txt", "ü/ñ.txt"),
  at: FastCheck.nat(30),
  remove: FastCheck.nat(3),
  insert: FastCheck.array(line, { maxLength: 3 }),
  text
})
type Edit = typeof edit extends FastCheck.Arbitrary<infer A> ? A : never

const linesEdited = (before: string, { at, insert, remove }: Edit): string =>
  before
    .split("\n")
    .toSpliced(at, remove, ...insert)
    .join("\n")

const edited = (files: Files, edits: ReadonlyArray<Edit>): Files => {
  const after = new Map(files)
  const names = [...files.keys()]
  for (const each of edits) {
    const name = names[each.which % names.length]!
    const before = after.get(name)
    if (each.what === "create") after.set(each.to, each.text)
    else if (before !== undefined) {
      if (each.what === "delete" || each.what === "rename") after.delete(name)
      if (each.what === "rename" || each.what === "copy") after.set(each.to, linesEdited(before, each))
      if (each.what === "lines") after.set(name, linesEdited(before, each))
    }
  }
  return after
}

const options = FastCheck.constantFrom(
  ["-M"],
  ["--no-renames"],
  ["-M", "-C", "--find-copies-harder"],
  ["-M", "-U1"],
  ["-M", "-U10", "--full-index"],
  ["-M", "--diff-algorithm=patience", "--no-prefix", "--src-prefix=i/", "--dst-prefix=w/"]
)

const edits = FastCheck.array(edit, { minLength: 1, maxLength: 6, size: "max" })

/** What someone who writes a patch by hand gets wrong. */
const damage = FastCheck.record({
  what: FastCheck.constantFrom("drop", "double", "letter", "count", "swap", "blank", "cut", "mark"),
  at: FastCheck.nat(200),
  by: FastCheck.constantFrom(-2, -1, 1, 2)
})
type Damage = typeof damage extends FastCheck.Arbitrary<infer A> ? A : never

const damaged = (patch: string, { at, by, what }: Damage): string => {
  const lines = patch.split("\n")
  const index = at % lines.length
  const here = lines[index] ?? ""
  const put = (...others: ReadonlyArray<string>) => lines.toSpliced(index, 1, ...others).join("\n")
  switch (what) {
    case "drop":
      return put()
    case "double":
      return put(here, here)
    case "letter":
      return put(`${here.slice(0, 2)}~${here.slice(3)}`)
    case "count": {
      const number = at
      return patch
        .replace(/(@@ -)(\d+)/g, (whole, mark, from) =>
          number % 2 ? `${mark}${Math.max(0, Number(from) + by)}` : whole
        )
        .replace(/\+(\d+),/, (whole, to) => (number % 3 ? `+${Math.max(0, Number(to) + by)},` : whole))
    }
    case "swap":
      return lines.toSpliced(index, 2, lines[index + 1] ?? "", here).join("\n")
    case "blank":
      return put(here.trim())
    case "cut":
      return lines.slice(0, index).join("\n")
    case "mark":
      return put(`${"+- "[at % 3] ?? ""}${here.slice(1)}`)
  }
}

describe("A patch that git wrote", () => {
  it("makes the same tree as git apply makes, whatever was edited, moved, copied and deleted", () => {
    let [patches, moved] = [0, 0]
    FastCheck.assert(
      FastCheck.property(sources, edits, options, (files, doings, chosen) => {
        commit({ before: files, after: edited(files, doings) })
        const patch = did(["diff-tree", "-p", ...chosen, "before", "after"])
        if (patch === "") return
        patches++
        if (/^(rename|copy) from/m.test(patch)) moved++
        const wanted = byGit("before", patch)
        expect(wanted).not.toBeNull()
        expect(byUs(files, patch)).toEqual(wanted)
      }),
      { numRuns: rounds({ quick: 40, deep: 150, long: 1_000 }), seed }
    )
    expect(patches).toBeGreaterThan(20)
    expect(moved).toBeGreaterThan(2)
  })

  it("and was damaged, or meets files that moved on, is refused where git refuses it, and never makes another tree", () => {
    const count = { taken: 0, refused: 0, stricter: 0 }
    FastCheck.assert(
      FastCheck.property(
        sources,
        edits,
        FastCheck.constantFrom(["-M"], ["-U1"], ["-U0"]),
        FastCheck.array(damage, { minLength: 1, maxLength: 3 }),
        FastCheck.array(edit, { maxLength: 2 }),
        (files, doings, chosen, damages, drift) => {
          const moved = edited(
            files,
            drift.filter(({ what }) => what === "lines")
          )
          commit({ before: files, after: edited(files, doings), moved })
          const patch = did(["diff-tree", "-p", ...chosen, "before", "after"])
          if (patch === "") return
          for (const each of [patch, ...damages.map((damage) => damaged(patch, damage))]) {
            const [wanted, got] = [byGit("moved", each), byUs(moved, each)]
            if (got !== null) expect(got).toEqual(wanted)
            count[got !== null ? "taken" : wanted === null ? "refused" : "stricter"]++
          }
        }
      ),
      { numRuns: rounds({ quick: 30, deep: 150, long: 1_500 }), seed }
    )
    expect(count.taken).toBeGreaterThan(10)
    expect(count.refused).toBeGreaterThan(10)
    // Stricter than git where one could be in two minds, and that is seldom.
    expect(count.stricter).toBeLessThan(count.taken)
  })
})
