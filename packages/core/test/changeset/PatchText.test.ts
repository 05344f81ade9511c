import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { readPatch } from "@pawl/core/changeset/PatchText"

const lines = (...all: ReadonlyArray<string>): string => all.map((each) => `${each}\n`).join("")

const read = (patch: string) => Result.getOrThrow(readPatch(patch))
const refused = (patch: string) => Result.getOrThrow(Result.flip(readPatch(patch)))

const hunk = ["@@ -1 +1 @@", "-a", "+b"]
const modify = ["--- a/x", "+++ b/x", ...hunk]

describe("A patch", () => {
  it("is read in git's form and in that of diff -u, out of a mail and behind it", () => {
    const parts = read(
      lines(
        "From 0123 Mon Sep 17 00:00:00 2001",
        "Subject: [PATCH] words, and a list:",
        "- one",
        "---",
        " x | 2 +-",
        "",
        "diff --git a/x b/x",
        "index 7898192..6178079 100644",
        ...modify,
        "diff --git a/new b/new",
        "new file mode 100644",
        "index 0000000..e69de29",
        "diff --git a/old b/old",
        "deleted file mode 100755",
        "--- a/old",
        "+++ /dev/null",
        "@@ -1,2 +0,0 @@",
        "-a",
        "-b",
        "\\ No newline at end of file",
        "diff --git a/from here b/to here",
        "similarity index 100%",
        "rename from from here",
        "rename to to here",
        "",
        "--- a/y\t2026-11-27 10:00:00",
        "+++ b/y\t2026-11-27 11:00:00",
        ...hunk,
        "-- ",
        "2.39.5",
        ""
      )
    )
    expect(parts.map(({ from, hunks, kind, path }) => [kind, from, path, hunks.length])).toEqual([
      ["modify", "x", "x", 1],
      ["create", null, "new", 0],
      ["delete", "old", "old", 1],
      ["rename", "from here", "to here", 0],
      ["modify", "y", "y", 1]
    ])
    expect(parts[2]?.hunks[0]?.before).toEqual(["a\n", "b"])
  })

  it("names files as git quotes them", () => {
    const parts = read(
      lines(
        'diff --git "a/\\303\\274 \\"x\\"" "b/\\303\\274 \\"x\\""',
        '--- "a/\\303\\274 \\"x\\""',
        '+++ "b/\\303\\274 \\"x\\""',
        ...hunk,
        "diff --git a/a b/c b/a b/c",
        "--- a/a b/c\t",
        "+++ b/a b/c\t",
        ...hunk
      )
    )
    expect(parts.map(({ path }) => path)).toEqual(['ü "x"', "a b/c"])
  })

  const modified = (...hunks: ReadonlyArray<string>) => lines("--- a/x", "+++ b/x", ...hunks)
  const git = (...rest: ReadonlyArray<string>) => lines("diff --git a/x b/x", ...rest)

  it.each([
    ["no patch at all", "Here is the change that you wanted.\n", 1, /no file in it/],
    ["without its last line break", lines(...modify).trimEnd(), 5, /line break behind it/],
    ["a hunk without a file", lines(...hunk), 1, /belongs to a file/],
    ["names without their sides", lines("--- x", "+++ x", ...hunk), 1, /as git does: --- a\/<path>/],
    ["a hunk that counts too many lines", modified("@@ -1,2 +1,2 @@", "-a", "+b"), 6, /counts: mend the counts/],
    ["a hunk that counts too few", modified("@@ -1 +1 @@", "-a", "+b", "+c"), 6, /goes on behind/],
    ["and an empty line between", modified("@@ -1 +1 @@", "-a", "+b", "", "+c"), 6, /goes on behind/],
    ["a hunk that counts another kind", modified("@@ -1 +1 @@", "-a", "-b"), 5, /other lines than its header/],
    ["a hunk without numbers", modified("@@ ... @@", "-a", "+b"), 3, /its header cannot be read/],
    ["a line that begins with nothing of it", modified("@@ -1,2 +1,2 @@", "a", "-b", "+c"), 4, /begins with a blank/],
    [
      "a line behind the end of a file",
      modified("@@ -1 +1,2 @@", "-a", "+b", "\\ No newline at end of file", "+c"),
      7,
      /ends its file/
    ],
    ["a hunk that changes nothing", modified("@@ -1 +1 @@", " a"), 3, /changes nothing/],
    [
      "a new file whose hunk's header is lost",
      lines("diff --git a/e b/e", "new file mode 100644", "index 0000000..1", "--- /dev/null", "+++ b/e", "+++ b", "+"),
      1,
      /no hunk behind its --- and \+\+\+/
    ],
    ["a file twice", lines(...modify, ...modify), 6, /this file twice/],
    [
      "a renamed file that is changed as well",
      git("rename from x", "rename to y", "") + lines(...modify),
      5,
      /this file twice/
    ],
    ["a path out of the source", lines("--- a/../x", "+++ b/../x", ...hunk), 1, /the segment \.\./],
    ["git's own folder", lines("--- /dev/null", "+++ b/.git/hooks/x", "@@ -0,0 +1 @@", "+a"), 1, /git's own folder/],
    ["a mode", git("old mode 100644", "new mode 100755"), 2, /executable as it was/],
    ["a new program", git("new file mode 100755"), 2, /executable as it was/],
    ["a link", git("new file mode 120000"), 2, /links and submodules/],
    ["a submodule", git("index 1..2 160000"), 2, /links and submodules/],
    ["a binary file", git("index 1..2 100644", "Binary files a/x and b/x differ"), 1, /as base64/],
    ["a binary patch", git("index 1..2 100644", "GIT binary patch", "literal 1"), 1, /as base64/],
    ["a file that nothing is done to", git("index 1..2 100644"), 1, /there is no hunk/],
    ["a rename without its header", lines("--- a/x", "+++ b/y", ...hunk), 1, /need git's header/],
    ["half a rename", git("rename from x"), 1, /belong together/],
    ["a part that does two things", git("rename from x", "rename to y", "new file mode 100644"), 1, /one thing/],
    ["names that are not the same", git("--- a/y", "+++ b/y", ...hunk), 1, /not the same/],
    [
      "a new file with lines before",
      git("new file mode 100644", "--- /dev/null", "+++ b/x", ...hunk),
      1,
      /no lines before/
    ],
    [
      "a deleted file with lines after",
      git("deleted file mode 100644", "--- a/x", "+++ /dev/null", ...hunk),
      1,
      /no lines after/
    ],
    ["--- without +++", git("--- a/x", ...hunk), 2, /no \+\+\+/],
    ["a merge", lines("diff --cc x", "@@@ -1 -1 +1 @@@"), 1, /a merge is no patch/],
    ["half a character", lines(...modify, "\ud800"), 1, /well-formed/]
  ])("is refused where it is mistaken: %s", (_, patch, line, reason) => {
    const { hunk: number, line: at, message, reason: why } = refused(patch)
    expect(why).toMatch(reason)
    expect(at).toBe(line)
    expect(message).toContain(`line ${line} of the patch`)
    expect(message).toContain("Nothing was recorded")
    if (number !== null) expect(message).toContain(`x, hunk ${number}`)
  })

  it("with a name in quotes that never ends is read at once, by the names behind it", () => {
    const long = "x".repeat(2_000_000)
    expect(read(lines(`diff --git "a/${long} b/${long}`, ...modify))[0]).toMatchObject({ path: "x" })
    expect(refused(lines(`diff --git a/x b/y`, `rename from "${long}`)).reason).toMatch(/name cannot be read/)
  })
})
