import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { type BaseFile, patchEdits } from "@pawl/core/changeset/PatchEdits"
import { readPatch } from "@pawl/core/changeset/PatchText"

const lines = (...all: ReadonlyArray<string>): string => all.map((each) => `${each}\n`).join("")

const file = (content: string | Uint8Array, executable = false): BaseFile => ({
  content: typeof content === "string" ? utf8(content) : content,
  executable
})

const numbered = lines(...Array.from({ length: 20 }, (_, at) => `line ${at + 1}`))
const base = new Map([
  ["n.txt", file(numbered)],
  ["same.txt", file(lines(..."abcabcabc"))],
  ["open.txt", file("a\nb")],
  ["empty.txt", file("")],
  ["run.sh", file("echo\n", true)],
  ["picture.png", file(new Uint8Array([0xff, 0x00, 0x0a]))],
  ["crlf.txt", file("a\r\nb\r\n")]
])

const applied = (patch: string, files: ReadonlyMap<string, BaseFile> = base) =>
  Result.flatMap(readPatch(patch), (read) => patchEdits(read, { paths: new Set(files.keys()), files }))
const edits = (patch: string) => Result.getOrThrow(applied(patch))
const refused = (patch: string) => Result.getOrThrow(Result.flip(applied(patch)))

const on = (path: string, ...hunks: ReadonlyArray<string>) => lines(`--- a/${path}`, `+++ b/${path}`, ...hunks)
const moved = (kind: string, from: string, to: string, ...rest: ReadonlyArray<string>) =>
  lines(`diff --git a/${from} b/${to}`, `${kind} from ${from}`, `${kind} to ${to}`, ...rest)

describe("A patch on a base", () => {
  it("writes and deletes what it says, and keeps what is no text byte for byte", () => {
    expect(
      edits(
        on("n.txt", "@@ -2,3 +2,4 @@", " line 2", "-line 3", "+LINE 3", "+and more", " line 4") +
          lines("--- a/open.txt", "+++ /dev/null", "@@ -1,2 +0,0 @@", "-a", "-b", "\\ No newline at end of file") +
          lines("diff --git a/made/new b/made/new", "new file mode 100644", "--- /dev/null", "+++ b/made/new") +
          lines("@@ -0,0 +1 @@", "+x", "\\ No newline at end of file") +
          moved("rename", "picture.png", "face.png") +
          moved("copy", "n.txt", "copy.txt") +
          lines("diff --git a/empty.txt b/empty.txt", "deleted file mode 100644")
      )
    ).toEqual({
      "n.txt": numbered.replace("line 3\n", "LINE 3\nand more\n"),
      "open.txt": null,
      "made/new": "x",
      "picture.png": null,
      "face.png": { base64: "/wAK" },
      "copy.txt": numbered,
      "empty.txt": null
    })
  })

  it("whose hunks are a few lines off finds the one place that has their lines, and those behind it too", () => {
    const patch = on(
      "n.txt",
      "@@ -2,3 +2,3 @@",
      " line 5",
      "-line 6",
      "+six",
      " line 7",
      "@@ -9,3 +9,4 @@",
      " line 12",
      "-line 13",
      "+13",
      "+13b",
      " line 14"
    )
    expect(edits(patch)["n.txt"]).toBe(numbered.replace("line 6\n", "six\n").replace("line 13\n", "13\n13b\n"))
  })

  it("takes the place that a hunk names, where its lines stand at others too", () => {
    expect(edits(on("same.txt", "@@ -4,3 +4,3 @@", " a", "-b", "+B", " c"))["same.txt"]).toBe(lines(..."abcaBcabc"))
  })

  it("may write a file that has the name of what every object has", () => {
    const made = edits(lines("--- /dev/null", "+++ b/__proto__", "@@ -0,0 +1 @@", "+a"))
    expect(Object.entries(made)).toEqual([["__proto__", "a\n"]])
  })

  it.each([
    ["no such file", on("gone", "@@ -1 +1 @@", "-a", "+b"), null, /no file gone on the base/],
    ["a new one that is there", lines("--- /dev/null", "+++ b/n.txt", "@@ -0,0 +1 @@", "+a"), null, /already/],
    ["a rename onto one that is there", moved("rename", "n.txt", "open.txt"), null, /already/],
    [
      "another line",
      on("n.txt", "@@ -2,3 +2,3 @@", " line 2", "-line X", "+y", " line 4"),
      1,
      /at line 3 of the file it has "line X", and there is "line 3"/
    ],
    [
      "other blanks",
      on("n.txt", "@@ -2,3 +2,3 @@", " line 2", "-line 3 ", "+y", " line 4"),
      1,
      /"line 3 ", and there is "line 3"/
    ],
    ["other line ends", on("crlf.txt", "@@ -1,2 +1,2 @@", "-a", "+A", " b"), 1, /"a", and there is "a\\r"/],
    [
      "places in doubt",
      on("same.txt", "@@ -5,3 +5,3 @@", " a", "-b", "+B", " c"),
      1,
      /stand at lines 1, 4, 7: give it more/
    ],
    [
      "no end of the last line",
      on("open.txt", "@@ -1,2 +1,2 @@", " a", "-b", "+c"),
      1,
      /line 2 of the file has no line break/
    ],
    [
      "a last line with an end",
      on("n.txt", "@@ -19,2 +19,2 @@", " line 19", "-line 20", "\\ No newline at end of file", "+x"),
      1,
      /line 20 of the file has a line break/
    ],
    [
      "nothing behind a change in the middle",
      on("n.txt", "@@ -3,2 +3,2 @@", " line 3", "-line 4", "+x"),
      1,
      /the lines that follow/
    ],
    [
      "nothing behind a change at the beginning",
      on("n.txt", "@@ -1 +1 @@", "-line 1", "+x"),
      1,
      /the lines that follow/
    ],
    ["no line at all around what is added", on("n.txt", "@@ -5,0 +6 @@", "+x"), 1, /no line that is there already/],
    [
      "hunks in another order",
      on("n.txt", "@@ -9,2 +9,2 @@", "-line 9", "+x", " line 10", "@@ -4,2 +4,2 @@", "-line 4", "+y", " line 5"),
      2,
      /order of the file/
    ],
    [
      "a deletion that leaves lines",
      lines("--- a/n.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-line 1"),
      1,
      /lines that follow/
    ],
    [
      "a deletion without lines",
      lines("diff --git a/n.txt b/n.txt", "deleted file mode 100644"),
      null,
      /not hold all of its lines/
    ],
    ["no text", on("picture.png", "@@ -1 +1 @@", "-a", "+b"), null, /no text in UTF-8/],
    ["a program that is moved", moved("rename", "run.sh", "run2.sh"), null, /is executable/],
    [
      "another mode",
      lines("diff --git a/run.sh b/run.sh", "index 1..2 100644") + on("run.sh", "@@ -1 +1 @@", "-echo", "+ls"),
      null,
      /executable on the base/
    ]
  ])("is refused where it does not fit, with the file, the hunk and what to do: %s", (_, patch, hunk, reason) => {
    const refusal = refused(patch)
    expect(refusal).toMatchObject({ _tag: "PatchMisfit", hunk, reason: expect.stringMatching(reason) })
    if (hunk !== null) expect(refusal.message).toContain(`hunk ${hunk}`)
  })

  it("that copies a large file very often is too large before it takes memory", () => {
    const large = new Map([["l", file("x".repeat(Limits.sourceFileBytes))]])
    const copies = Array.from({ length: 1_000 }, (_, at) => moved("copy", "l", `l${at}`)).join("")
    expect(Result.getOrThrow(Result.flip(applied(copies, large)))).toMatchObject({ _tag: "TreeTooLarge" })
  })

  it("whose hunks would have to be looked for very long is refused for that", () => {
    const many = new Map([["m", file("x\n".repeat(300_000) + "y\n")]])
    const wanted = Array.from({ length: 300 }, () => " x")
    const patch = on("m", "@@ -2,302 +2,302 @@", ...wanted, "-z", "+Z", " y")
    expect(Result.getOrThrow(Result.flip(applied(patch, many))).message).toContain("takes too long")
  })
})
