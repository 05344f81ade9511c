/**
 * The text of a patch, read: git's form (`git diff`, `git format-patch`) or that of `diff -u` with git's names. What is
 * no header and no hunk is words, as in a mail; what could be a broken one is refused.
 */
import { Result } from "effect"
import { isWellFormed } from "../primitives/CodePoints.ts"
import { pathProblem } from "../project/Paths.ts"
import { type FilePatch, type Patch, PatchMalformed } from "./Patch.ts"
import { hunksAt, type Reading } from "./PatchHunks.ts"
import { commonName, nowhere, plainName, sideName } from "./PatchNames.ts"

type Read<A> = Result.Result<A, PatchMalformed>

const refuse = (at: number, reason: string, file: string | null = null): Result.Result<never, PatchMalformed> =>
  Result.fail(new PatchMalformed({ file, hunk: null, line: at + 1, reason }))

const keepsModes = "Pawl keeps whether a file is executable as it was, and a new file is not: leave its mode out"

/** What the lines between `diff --git` and the first hunk say. */
interface Said {
  kinds: ReadonlySet<FilePatch["kind"]>
  from: string | null
  to: string | null
  mode: string | null
}

type Line = readonly [beginning: string, say: (said: Said, rest: string) => string | null]

const named = (side: "from" | "to", kind: "rename" | "copy") => (said: Said, rest: string) => {
  said[side] = plainName(rest)
  said.kinds = new Set([...said.kinds, kind])
  return said[side] === null ? "its name cannot be read" : null
}

const modeProblem = (mode: string): string | null =>
  mode === "100644" || mode === "100755" ? null : "links and submodules cannot be in a source"

/** Lines of git's own, each with what it says; a reason refuses it. */
const extended: ReadonlyArray<Line> = [
  ["old mode ", () => keepsModes],
  ["new mode ", () => keepsModes],
  [
    "new file mode ",
    (said, mode) => {
      said.kinds = new Set([...said.kinds, "create"])
      return mode === "100755" ? keepsModes : modeProblem(mode)
    }
  ],
  [
    "deleted file mode ",
    (said, mode) => {
      said.kinds = new Set([...said.kinds, "delete"])
      return modeProblem(mode)
    }
  ],
  ["rename from ", named("from", "rename")],
  ["rename to ", named("to", "rename")],
  ["copy from ", named("from", "copy")],
  ["copy to ", named("to", "copy")],
  ["similarity index ", () => null],
  ["dissimilarity index ", () => null],
  [
    "index ",
    (said, rest) => {
      const mode = /^\S+ (\d{6})$/.exec(rest)?.[1] ?? null
      said.mode = mode
      return mode === null ? null : modeProblem(mode)
    }
  ]
]

/** The two names before the hunks, `nowhere` where there is no file; null where they are not told. */
type Sides = { readonly old: string; readonly new: string } | null

const sidesAt = (reading: Reading): Read<Sides> => {
  const { at, lines } = reading
  const [first = "", second = ""] = lines.slice(at, at + 2)
  if (!first.startsWith("--- ")) return Result.succeed(null)
  if (!second.startsWith("+++ ")) return refuse(at, "--- has no +++ in the line behind it")
  const [before, after] = [sideName(first.slice(4)), sideName(second.slice(4))]
  if (before === null || after === null)
    return refuse(before === null ? at : at + 1, "name the file as git does: --- a/<path> and +++ b/<path>")
  // What `diff -u` dates so is no file, which git goes by.
  if (/\t19(69|70)-/.test(first + second)) return refuse(at, `write ${nowhere} for a file that is not there`)
  reading.at += 2
  return Result.succeed({ old: before, new: after })
}

type Named = Pick<FilePatch, "kind" | "path" | "from">

const isNamed = (sides: Sides, before: string, after: string): boolean =>
  sides === null || (sides.old === before && sides.new === after)

/** Which file git's header is about, and what is done to it; a text says why that cannot be told. */
const fileOf = (common: string | null, { from, kinds, to }: Said, sides: Sides): Named | string => {
  const [kind = "modify", another] = kinds
  if (another !== undefined) return `it cannot be both ${kind} and ${another}: one part of a patch does one thing`
  const differs = "the names of its header and of its --- and +++ are not the same"
  if (kind === "rename" || kind === "copy") {
    if (from === null || to === null) return `${kind} from and ${kind} to belong together`
    return isNamed(sides, from, to) ? { kind, path: to, from } : differs
  }
  const path = common ?? (kind === "create" ? sides?.new : sides?.old) ?? nowhere
  if (path === nowhere) return "it does not say which file it is about: diff --git a/<path> b/<path>"
  const [before, after] = [kind === "create" ? nowhere : path, kind === "delete" ? nowhere : path]
  if (!isNamed(sides, before, after))
    return common === null ? "two names are a rename, and need rename from and rename to" : differs
  return { kind, path, from: kind === "create" ? null : path }
}

/** Which file the two names of `diff -u` are about. */
const fileBetween = (sides: NonNullable<Sides>): Named | string => {
  const { new: after, old: before } = sides
  if (before === nowhere && after === nowhere) return "it does not say which file it is about"
  if (before === nowhere) return { kind: "create", path: after, from: null }
  if (after === nowhere) return { kind: "delete", path: before, from: before }
  if (before === after) return { kind: "modify", path: after, from: after }
  return "two names are a rename, and need git's header with rename from and rename to"
}

/** What a file's part cannot be, with its hunks; null when it can. */
const partProblem = ({ hunks, kind }: FilePatch, sides: Sides, next: string): string | null => {
  if (hunks.length === 0 && /^(GIT binary patch|Binary files .* differ$)/.test(next))
    return "a patch cannot hold what is no text: send the file in files, as base64"
  if (hunks.length === 0 && kind === "modify")
    return "it changes nothing: there is no hunk, @@ -<line>,<lines> +<line>,<lines> @@"
  // git writes them before a hunk alone, and takes what stands behind them for more of the header.
  if (hunks.length === 0 && sides !== null)
    return "there is no hunk behind its --- and +++, @@ -<line>,<lines> +<line>,<lines> @@"
  if (kind === "create" && hunks.some(({ before }) => before.length > 0)) return "a new file has no lines before"
  if (kind === "delete" && hunks.some(({ after }) => after.length > 0)) return "a deleted file has no lines after"
  return null
}

/** The part whose header was read, from its first hunk on. */
const partAt = (
  reading: Reading,
  line: number,
  { mode, named, sides }: { readonly named: Named | string; readonly sides: Sides; readonly mode: string | null }
): Read<FilePatch> =>
  Result.gen(function* () {
    if (typeof named === "string") return yield* refuse(line, named)
    for (const path of new Set([named.path, named.from ?? named.path])) {
      const problem = pathProblem(path)
      if (problem !== undefined) return yield* refuse(line, `the path cannot be used: ${problem}`, path)
    }
    const hunks = yield* hunksAt(reading, named.path)
    const part: FilePatch = { ...named, line: line + 1, mode, hunks }
    const problem = partProblem(part, sides, reading.lines[reading.at] ?? "")
    return problem === null ? part : yield* refuse(line, problem, part.path)
  })

const gitPartAt = (reading: Reading): Read<FilePatch> =>
  Result.gen(function* () {
    const { lines } = reading
    const line = reading.at
    const common = commonName((lines[line] ?? "").slice("diff --git ".length))
    const said: Said = { kinds: new Set(), from: null, to: null, mode: null }
    for (reading.at++; ; reading.at++) {
      const text = lines[reading.at] ?? ""
      const row = extended.find(([beginning]) => text.startsWith(beginning))
      if (row === undefined) break
      const problem = row[1](said, text.slice(row[0].length))
      if (problem !== null) return yield* refuse(reading.at, problem, common ?? said.to)
    }
    const sides = yield* sidesAt(reading)
    return yield* partAt(reading, line, { named: fileOf(common, said, sides), sides, mode: said.mode })
  })

const plainPartAt = (reading: Reading): Read<FilePatch> =>
  Result.gen(function* () {
    const line = reading.at
    const sides = yield* sidesAt(reading)
    const named = sides === null ? "it does not say which file it is about" : fileBetween(sides)
    return yield* partAt(reading, line, { named, sides, mode: null })
  })

/** A part that begins here; null where words stand. */
const nextPart = (reading: Reading): Read<FilePatch> | null => {
  const text = reading.lines[reading.at] ?? ""
  if (text.startsWith("diff --git ")) return gitPartAt(reading)
  if (text.startsWith("--- ") && reading.lines[reading.at + 1]?.startsWith("+++ ") === true) return plainPartAt(reading)
  if (/^diff --(cc|combined) /.test(text)) return refuse(reading.at, "a merge is no patch: compare with one side alone")
  if (text.startsWith("@@"))
    return refuse(reading.at, "a hunk belongs to a file: diff --git a/<path> b/<path>, --- a/<path>, +++ b/<path>")
  return null
}

/** Reads the text of a patch. What it names is not looked at. */
export const readPatch = (text: string): Read<Patch> =>
  Result.gen(function* () {
    if (!isWellFormed(text)) return yield* refuse(0, "it is not well-formed Unicode")
    const reading: Reading = { lines: text.split("\n"), at: 0 }
    if (reading.lines.at(-1) !== "")
      return yield* refuse(reading.lines.length - 1, "the last line has no end: put a line break behind it")
    const parts: Array<FilePatch> = []
    const taken = new Set<string>()
    while (reading.at < reading.lines.length) {
      const part = nextPart(reading)
      if (part === null) {
        reading.at++
        continue
      }
      const read = yield* part
      const paths = read.kind === "rename" ? [read.path, read.from ?? ""] : [read.path]
      const twice =
        paths.find((path) => taken.has(path)) ?? (new Set(paths).size < paths.length ? read.path : undefined)
      if (twice !== undefined)
        return yield* refuse(read.line - 1, "the patch has this file twice: make one part of them", twice)
      for (const path of paths) taken.add(path)
      parts.push(read)
    }
    if (parts.length === 0)
      return yield* refuse(
        0,
        "there is no file in it: a patch has diff --git a/<path> b/<path> and hunks, as git diff writes it"
      )
    return parts
  })
