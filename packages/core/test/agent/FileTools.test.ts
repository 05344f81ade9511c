import { edit, list, read, remove, search, type SyntaxCheck, write } from "@pawl/core/agent/FileTools"
import { editsOf, heldAt, type Overlay, overlayOn } from "@pawl/core/agent/Overlay"
import { Limits } from "@pawl/core/primitives/Limits"
import { describe, expect, it } from "vitest"

const bytes = (text: string) => new TextEncoder().encode(text)
const overlay = (files: Readonly<Record<string, string | Uint8Array>>): Overlay =>
  overlayOn(new Map(Object.entries(files).map(([path, held]) => [path, typeof held === "string" ? bytes(held) : held])))
const fine: SyntaxCheck = () => null
/** An error wherever a bracket is missing. */
const brackets: SyntaxCheck = (_, text) =>
  text.split("{").length === text.split("}").length ? null : "line 1: a bracket is missing"

describe("list", () => {
  it("tells every file with its bytes, as the agent left it", () => {
    const first = overlay({ "b.js": "12", "a/c.js": "é", "a/d.js": "" })
    expect(list(first, "").text).toBe("a/c.js 2\na/d.js 0\nb.js 2")
    const second = remove(write(first, "a/new.js", "xyz", fine).overlay, "a/c.js").overlay
    expect(list(second, "a/").text).toBe("a/d.js 0\na/new.js 3")
  })

  it("tells so many files, and how many more there are", () => {
    const many = Object.fromEntries(Array.from({ length: Limits.agentListed + 5 }, (_, at) => [`f${at}`, ""]))
    const told = list(overlay(many), "").text.split("\n")
    expect([told.length, told.at(-1)]).toEqual([Limits.agentListed + 1, "and 5 more: name a folder"])
  })

  it("says that a folder has none", () => {
    expect(list(overlay({ a: "" }), "nowhere")).toMatchObject({
      failed: true,
      text: "there are no files below nowhere"
    })
  })
})

describe("read", () => {
  it("tells the lines with their numbers, from one on", () => {
    const files = overlay({ a: "one\r\ntwo\nthree" })
    expect(read(files, "a", 1).text).toBe("1 one\n2 two\n3 three")
    expect(read(files, "a", 3).text).toBe("3 three")
    expect(read(files, "a", 4)).toMatchObject({ failed: true, text: "a has 3 lines" })
  })

  it("tells as many lines as fit, and where they end", () => {
    const long = overlay({ a: "x\n".repeat(1000), b: `${"y".repeat(100_000)}\nz\n` })
    expect(read(long, "a", 1).text.split("\n").at(-1)).toBe(`(lines 1 to ${Limits.agentReadLines} of 1000)`)
    const wide = read(long, "b", 1).text
    expect(wide.length).toBeLessThan(Limits.agentReadChars + 100)
    expect(wide.split("\n").at(-1)).toBe("(lines 1 to 1 of 2)")
  })

  it("refuses what is not there and what is no text", () => {
    const files = overlay({ image: new Uint8Array([137, 80, 255, 0]), zero: "a\0b" })
    expect(read(files, "gone", 1)).toMatchObject({ failed: true, text: "there is no file gone" })
    expect(read(files, "image", 1)).toMatchObject({ failed: true, text: "image is no text: 4 bytes" })
    expect(read(files, "zero", 1).failed).toBe(true)
  })
})

describe("search", () => {
  it("finds words as they are, dots and stars too", () => {
    const files = overlay({ a: "let x = 1\nf(.*)\n", b: "  f(.*) again\nfoo" })
    expect(search(files, "f(.*)").text).toBe("a:2 f(.*)\nb:1 f(.*) again")
    expect(search(files, "nothing").text).toBe("no file holds these words")
  })

  it("tells so many lines, and counts the others by file", () => {
    const files = overlay({ a: "x\n".repeat(Limits.agentSearchMatches + 7), b: "x\nx\n" })
    const told = search(files, "x").text.split("\n")
    expect(told.slice(Limits.agentSearchMatches)).toEqual(["a: 7 more", "b: 2 more"])
  })

  it("looks for words of one line", () => {
    expect(search(overlay({}), "").failed).toBe(true)
    expect(search(overlay({}), "a\nb").failed).toBe(true)
  })
})

describe("edit", () => {
  it("wants the file to be read first", () => {
    const files = overlay({ a: "one" })
    expect(edit(files, "a", { old: "one", new: "two" }, fine)).toMatchObject({ failed: true, text: "read a first" })
    const after = edit(read(files, "a", 1).overlay, "a", { old: "one", new: "two" }, fine)
    expect(after).toMatchObject({ failed: false, text: "a is changed" })
    expect(editsOf(after.overlay)).toEqual({ a: "two" })
  })

  it("may go on in what the agent wrote itself, without reading it again", () => {
    const made = write(overlay({}), "a", "one", fine).overlay
    expect(editsOf(edit(made, "a", { old: "one", new: "two" }, fine).overlay)).toEqual({ a: "two" })
  })

  it("is refused when it would bring an error of syntax, and changes nothing", () => {
    const files = read(overlay({ "a.js": "f() { g() }" }), "a.js", 1).overlay
    const refused = edit(files, "a.js", { old: " }", new: "" }, brackets)
    expect(refused).toMatchObject({ failed: true, overlay: files })
    expect(refused.text).toContain("line 1: a bracket is missing")
  })

  it("may be made where the syntax was broken before", () => {
    const files = read(overlay({ "a.js": "f() { {" }), "a.js", 1).overlay
    expect(edit(files, "a.js", { old: "{ {", new: "{" }, brackets).failed).toBe(false)
  })

  it("keeps a byte order mark and the line ends of the file", () => {
    const files = read(overlay({ a: "\uFEFFone\r\ntwo\r\n" }), "a", 1).overlay
    expect(editsOf(edit(files, "a", { old: "two", new: "2\n3" }, fine).overlay)).toEqual({
      a: "\uFEFFone\r\n2\r\n3\r\n"
    })
  })

  it("leaves no trace of an edit that was taken back", () => {
    const there = edit(read(overlay({ a: "one" }), "a", 1).overlay, "a", { old: "one", new: "two" }, fine).overlay
    expect(editsOf(edit(there, "a", { old: "two", new: "one" }, fine).overlay)).toEqual({})
  })
})

describe("write", () => {
  it.each(["/etc/passwd", "../up", "a/../../b", ".git/config", "a\\b", "", "A\u0000"])(
    "refuses the path %j",
    (path) => {
      expect(write(overlay({}), path, "x", fine).failed).toBe(true)
    }
  )

  it("refuses a path that another file makes impossible", () => {
    const files = overlay({ "src/a": "" })
    expect(write(files, "src", "x", fine).failed).toBe(true)
    expect(write(files, "src/a/b", "x", fine).failed).toBe(true)
    expect(write(files, "SRC/b", "x", fine).failed).toBe(true)
  })

  it("refuses a file that was not read, and one that is long", () => {
    const files = overlay({
      short: "a\n",
      long: "a\n".repeat(Limits.agentWriteLines + 1),
      image: new Uint8Array([255])
    })
    expect(write(files, "short", "b", fine)).toMatchObject({ failed: true, text: "short is there: read it first" })
    expect(write(read(files, "long", 1).overlay, "long", "b", fine).failed).toBe(true)
    expect(write(files, "image", "b", fine).failed).toBe(true)
    expect(write(read(files, "short", 1).overlay, "short", "b", fine).failed).toBe(false)
  })

  it("refuses one file more than a ChangeSet may have", () => {
    let files = overlay({})
    for (let at = 0; at < Limits.changeSetFiles; at++)
      files = { ...files, edits: new Map(files.edits).set(`f${at}`, "x") }
    expect(write(files, "one-more", "x", fine).failed).toBe(true)
  })
})

describe("remove", () => {
  it("takes a file away, and one that was only made leaves no trace", () => {
    const files = write(overlay({ a: "1", b: "2" }), "c", "3", fine).overlay
    const after = remove(remove(files, "a").overlay, "c").overlay
    expect(editsOf(after)).toEqual({ a: null })
    expect(heldAt(after, "a")).toEqual({ _tag: "Missing" })
    expect(remove(after, "a").failed).toBe(true)
  })

  it("makes what comes back unknown, until it is written again", () => {
    const files = remove(read(overlay({ a: "1" }), "a", 1).overlay, "a").overlay
    expect(editsOf(write(files, "a", "1", fine).overlay)).toEqual({})
  })
})
