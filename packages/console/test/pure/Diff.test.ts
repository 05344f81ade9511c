import { describe, expect, it } from "vitest"
import { filesOf, filesWithin, foldersOf } from "../../src/diff/Files.ts"
import { concernsOf, moveOf } from "../../src/diff/PackageWords.ts"
import { pairsOf } from "../../src/diff/Pairs.ts"
import { readPatch } from "../../src/diff/Patch.ts"
import { subjectOf, subjectsOf } from "../../src/diff/Subject.ts"
import { wordMarks } from "../../src/diff/WordMarks.ts"

const blobs = `${"a".repeat(40)}..${"b".repeat(40)}`
const head = `diff --git a/menu.txt b/menu.txt\nindex ${blobs} 100644\n--- a/menu.txt\n+++ b/menu.txt\n`

describe("A patch", () => {
  it("is read into hunks whose lines have the numbers of both sides", () => {
    const { blobs: found, hunks } = readPatch(
      `${head}@@ -3,3 +3,4 @@ function open() {\n same\n-old\n+new\n+more\n last\n@@ -20 +21 @@\n-a\n+b\n\\ No newline at end of file\n`
    )
    expect(found).toBe(blobs)
    expect(hunks.map(({ place }) => place)).toEqual(["@@ -3,3 +3,4 @@ function open() {", "@@ -20 +21 @@"])
    expect(hunks[0]?.lines).toEqual([
      { kind: "same", old: 3, new: 3, text: "same" },
      { kind: "gone", old: 4, new: null, text: "old" },
      { kind: "new", old: null, new: 4, text: "new" },
      { kind: "new", old: null, new: 5, text: "more" },
      { kind: "same", old: 5, new: 6, text: "last" }
    ])
    expect(hunks[1]?.lines).toEqual([
      { kind: "gone", old: 20, new: null, text: "a" },
      { kind: "new", old: null, new: 21, text: "b", isOpenEnd: true }
    ])
  })

  it("takes lines that look like heads of a patch for what they are", () => {
    const { hunks } = readPatch(`${head}@@ -1,2 +1,2 @@\n--- a/not/a/head\n+++ b/neither\n @@ -1 +1 @@\n`)
    expect(hunks.length).toBe(1)
    expect(hunks[0]?.lines.map(({ kind, text }) => [kind, text])).toEqual([
      ["gone", "-- a/not/a/head"],
      ["new", "++ b/neither"],
      ["same", "@@ -1 +1 @@"]
    ])
  })

  it("may be of a binary file, of a mode alone, or empty", () => {
    expect(readPatch(`index ${blobs}\nBinary files a/x and b/x differ\n`)).toMatchObject({ isBinary: true, hunks: [] })
    expect(readPatch("old mode 100644\nnew mode 100755\n")).toEqual({
      blobs: null,
      mode: "100644 → 100755",
      isBinary: false,
      hunks: []
    })
    expect(readPatch("")).toMatchObject({ isBinary: true, hunks: [] })
    expect(readPatch(`diff --git a/x b/x\nnew file mode 100644\nindex ${blobs}\n`)).toMatchObject({
      isBinary: false,
      hunks: []
    })
  })
})

const hunk = (text: string) => readPatch(`@@ -1,9 +1,9 @@\n${text}`).hunks[0]!

describe("Lines side by side", () => {
  it("put what came beside what it replaced, and leave the other side empty where there is more", () => {
    const pairs = pairsOf(hunk(" a\n-b\n-c\n+d\n e\n+f\n-g\n+h\n").lines)
    expect(pairs.map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
      ["a", "a"],
      ["b", "d"],
      ["c", null],
      ["e", "e"],
      [null, "f"],
      ["g", "h"]
    ])
  })
})

describe("Words of a line", () => {
  const marksOf = (text: string) =>
    Array.from(wordMarks([hunk(text)]), ([line, pieces]) => [
      line.kind,
      pieces.filter(({ isOther }) => isOther).map((piece) => piece.text)
    ])

  it("are marked where the other line says something else, and make up the line together", () => {
    expect(marksOf("-Tea, 2 pounds a cup\n+Green tea, 3 pounds a cup\n")).toEqual([
      ["gone", ["Tea", "2"]],
      ["new", ["Green tea", "3"]]
    ])
    for (const [line, pieces] of wordMarks([hunk("-a  b\tc d\n+a b\tc  e d\n")]))
      expect(pieces.map(({ text }) => text).join("")).toBe(line.text)
  })

  it("are not marked in lines that have little in common, or that nobody reads", () => {
    expect(marksOf("-nothing of this stays\n+x = [1, 2, 3]\n")).toEqual([])
    expect(marksOf(`-${"a ".repeat(300)}b\n+${"a ".repeat(300)}c\n`)).toEqual([])
  })
})

const file = (path: string, patch = "", status: "added" | "modified" = "modified") =>
  ({ path, status, additions: 1, deletions: 0, patch }) as const

describe("Files of a diff", () => {
  it("stand by their folders, and are found by a part of their path", () => {
    const files = filesOf(
      { files: [file("src/a.ts"), file("README.md"), file("src/b.ts"), file("src/ui/Tab.tsx")] },
      "tree"
    )
    const named = (search: string) =>
      foldersOf(files, search).map(({ files: found, name }) => [name, found.map(({ path }) => path)])
    expect(named("")).toEqual([
      ["src", ["src/a.ts", "src/b.ts"]],
      ["", ["README.md"]],
      ["src/ui", ["src/ui/Tab.tsx"]]
    ])
    expect(named("TAB")).toEqual([["src/ui", ["src/ui/Tab.tsx"]]])
    expect(named("nowhere")).toEqual([])
  })

  it("are another file to view when their content is another, and are long from 64 KiB on", () => {
    const [first, second, long] = filesOf(
      {
        files: [file("a", head), file("a", head.replace("bbbb", "cccc")), file("b", "+".repeat(64 * 1024 + 1))]
      },
      "tree"
    )
    expect(first?.mark).not.toBe(second?.mark)
    expect([first?.isLong, long?.isLong]).toEqual([false, true])
  })

  it("come a few at a time, one at least, until all are there", () => {
    const patch = `@@ -0,0 +1,100 @@\n${"+line\n".repeat(100)}`
    const files = filesOf({ files: Array.from({ length: 10 }, (_, at) => file(`f${at}`, patch, "added")) }, "tree")
    expect(filesWithin(files, 0, 1)).toBe(1)
    expect(filesWithin(files, 1, 300)).toBe(4)
    expect(filesWithin(files, 4, 100_000)).toBe(10)
    expect(filesWithin(files, 10, 300)).toBe(10)
  })
})

describe("A package of a diff", () => {
  it.each([
    [null, "1.0.0", "Added"],
    ["1.0.0", null, "Removed"],
    ["1.0.0", "2.0.0", "Moved"],
    ["1.0.0", "1.0.0", "Other content"]
  ])("from %s to %s is %s", (from, to, word) => {
    expect(moveOf({ from, to }).word).toBe(word)
  })

  it("says what is known against it, and what nobody could say", () => {
    const change = { name: "x", from: null, to: "1.0.0", dev: true, scripts: null, advisories: null } as const
    expect(concernsOf(change)).toEqual([
      "the registry did not say whether anything is known against it",
      "nobody could say whether it has install scripts",
      "only for builds and checks"
    ])
    const advisories = [{ id: "1", title: "It leaks", severity: "high", url: "https://example.com/1" }]
    expect(concernsOf({ ...change, ageDays: 1, scripts: true, dev: false, advisories })).toEqual([
      "1 known against it",
      "asks for install scripts, which never run",
      "1 day old"
    ])
    expect(concernsOf({ ...change, from: "1.0.0", to: null })).toEqual([])
  })
})

describe("What a diff can be of", () => {
  type Made = Parameters<typeof subjectsOf>[1][number]
  const made = [
    { id: "cs_1", message: "The hours" },
    { id: "cs_2", message: "The prices\n\nall of them" }
  ] as ReadonlyArray<object> as ReadonlyArray<Made>

  it("is the Candidate and each ChangeSet, the newest first", () => {
    expect(subjectsOf("cand_1", made).map(({ words }) => words)).toEqual([
      "The Candidate",
      "ChangeSet 2: The prices",
      "ChangeSet 1: The hours"
    ])
  })

  it("is what is wanted, else the Candidate, else the newest ChangeSet, else nothing", () => {
    expect(subjectOf(subjectsOf("cand_1", made), "cs_1")?.id).toBe("cs_1")
    expect(subjectOf(subjectsOf("cand_1", made), "gone")?.id).toBe("cand_1")
    expect(subjectOf(subjectsOf(null, made), null)?.id).toBe("cs_2")
    expect(subjectOf(subjectsOf(null, []), "cs_1")).toBeNull()
  })
})
