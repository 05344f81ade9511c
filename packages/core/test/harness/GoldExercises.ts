/**
 * Exercises with their solutions: files of our own, and seeded edits of them as a commit makes them. A solution is said
 * in calls of tools, in one of several forms in which models say it, with mistakes that are seen and made good.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { seededDraw } from "@pawl/testing/tools/SeededScheduler"

const root = join(import.meta.dirname, "../../src")

/** Sources of an ordinary length, by path, without their last line end, in lines. */
const sources: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = readdirSync(root, { recursive: true })
  .map(String)
  .filter((path) => path.endsWith(".ts"))
  .toSorted()
  .map((path) => [path, readFileSync(join(root, path), "utf8").split("\n").slice(0, -1)] as const)
  .filter(([, lines]) => lines.length >= 30 && lines.length <= 220)

/** Some lines of a file that others take the place of; a line at least stays between two hunks. */
interface Hunk {
  readonly at: number
  readonly take: number
  readonly put: ReadonlyArray<string>
}

interface Edited {
  readonly path: string
  readonly before: ReadonlyArray<string>
  readonly hunks: ReadonlyArray<Hunk>
}

/** What is to be done. */
interface Exercise {
  readonly edited: ReadonlyArray<Edited>
  readonly added: readonly [string, ReadonlyArray<string>]
  readonly removed: readonly [string, ReadonlyArray<string>]
}

type Draw = ReturnType<typeof seededDraw>

const draws = <A>(draw: Draw, from: ReadonlyArray<A>): A => from[draw(from.length)]!

/** A line as somebody changes it: another word, another number, another indentation. */
const changed = (draw: Draw, line: string): string => {
  if (line.trim() === "") return `  // ${draw(1000)}`
  const way = draw(4)
  if (way === 0) return `  ${line}`
  if (way === 1) return `${line} // ${draw(1000)}`
  const word = draws(draw, line.match(/\w+/g) ?? ["x"])
  return line.replace(word, `${word}${draw(100)}`)
}

/** The same edit without what stays, as far down as it can stand: of equal lines the last ones go, or come. */
const settled = (before: ReadonlyArray<string>, { at, put, take }: Hunk): Hunk => {
  if (take > 0 && put.length > 0 && before[at] === put[0])
    return settled(before, { at: at + 1, take: take - 1, put: put.slice(1) })
  if (take > 0 && put.length > 0 && before[at + take - 1] === put.at(-1))
    return settled(before, { at, take: take - 1, put: put.slice(0, -1) })
  if (take > 0 && put.length === 0 && before[at] === before[at + take])
    return settled(before, { at: at + 1, take, put })
  if (take === 0 && put.length > 0 && before[at] === put[0])
    return settled(before, { at: at + 1, take, put: [...put.slice(1), before[at]!] })
  return { at, take, put }
}

const hunksOf = (draw: Draw, before: ReadonlyArray<string>): ReadonlyArray<Hunk> => {
  const hunks: Array<Hunk> = []
  for (let at = draw(10); at < before.length - 8 && hunks.length < 4; at += 5 + draw(40)) {
    const way = draw(4)
    const other = draws(draw, sources)[1]
    const from = draw(other.length - 4)
    const more = other.slice(from, from + 1 + draw(4))
    const take = way === 0 ? 0 : 1 + draw(3)
    const put = way === 0 ? more : way === 1 ? [] : before.slice(at, at + take).map((line) => changed(draw, line))
    const hunk = settled(before, { at, take, put: way === 3 ? [...put, ...more] : put })
    // What is there already is no edit.
    if (hunk.take + hunk.put.length > 0) hunks.push(hunk)
    at = hunk.at + hunk.take
  }
  return hunks
}

const exerciseOf = (draw: Draw): Exercise => {
  const start = draw(sources.length)
  const chosen = Array.from({ length: 2 + draw(2) }, (_, nth) => sources[(start + nth * 7) % sources.length]!)
  return {
    edited: chosen.map(([path, before]) => ({ path, before, hunks: hunksOf(draw, before) })),
    added: ["new/added.ts", draws(draw, sources)[1]],
    removed: ["old/removed.ts", draws(draw, sources)[1]]
  }
}

/** A call of a tool, and whether it is a mistake that must be refused. */
export interface GoldCall {
  readonly name: string
  readonly input: Readonly<Record<string, string>>
  readonly refused: boolean
}

/** Files before, the calls of each answer, and files afterwards. */
export interface Gold {
  readonly before: Readonly<Record<string, string>>
  readonly answers: ReadonlyArray<ReadonlyArray<GoldCall>>
  readonly after: Readonly<Record<string, string>>
}

/** How files are, and how a model says what stands in them. */
interface Form {
  /** A file's own lines, as they stand in it. */
  readonly file: (draw: Draw, lines: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly ends: string
  /** A line that stands in the file, as the model says it. */
  readonly says: (draw: Draw, line: string) => string
  readonly saysEnds: string
  /** What it says first, by mistake. */
  readonly mistakes: (draw: Draw, edit: Said) => ReadonlyArray<GoldCall>
}

/** An edit as it is said, and the shorter one that stands in more than one place, where there is one. */
interface Said {
  readonly path: string
  readonly old: string
  readonly new: string
  readonly ambiguous: GoldCall | null
}

const plain: Form = {
  file: (_, lines) => lines,
  ends: "\n",
  says: (_, line) => line,
  saysEnds: "\n",
  mistakes: () => []
}

const blanksAfter = (draw: Draw, line: string): string => `${line}${draws(draw, ["", "", " ", "   ", "\t"])}`
const tabs = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line) => line.replace(/^ +/, (blanks) => "\t".repeat(Math.ceil(blanks.length / 2))))
const spaces = (text: string): string => text.replace(/^\t+/gm, (found) => "  ".repeat(found.length))
const refused = (name: string, input: GoldCall["input"]): GoldCall => ({ name, input, refused: true })

/** Copies of the lines around each hunk stand at the end: words that are too short stand twice. */
const twice = (lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...lines,
  "// Once more.",
  ...lines.slice(0, -1)
]

const forms = {
  "files with Windows' line ends": { ...plain, ends: "\r\n" },
  "words with Windows' line ends": { ...plain, saysEnds: "\r\n" },
  "tabs, that are said as spaces at first": {
    ...plain,
    file: (_, lines) => tabs(lines),
    mistakes: (_, { new: by, old, path }) =>
      spaces(old) === old ? [] : [refused("edit", { path, old: spaces(old), new: spaces(by) })]
  },
  "blanks at the ends of the files' lines": {
    ...plain,
    file: (draw, lines) => lines.map((line) => blanksAfter(draw, line)),
    says: (_, line) => line.trimEnd()
  },
  "blanks at the ends of the words' lines": { ...plain, says: blanksAfter },
  "mistakes, made good": {
    ...plain,
    mistakes: (draw, { new: by, old, path }) => [
      draws(draw, [
        refused("edit", { path, old: `not there\n${old}`, new: by }),
        refused("edit", { path: `${path}x`, old, new: by }),
        refused("edit", { path, old: "", new: by }),
        refused("edit", { path, old, new: old }),
        refused("write", { path: "../outside.ts", text: by }),
        refused("remove", { path: "nowhere.ts" }),
        refused("patch", { path }),
        refused("edit", { path, old })
      ])
    ]
  },
  "words that stand twice": {
    ...plain,
    file: (_, lines) => twice(lines),
    mistakes: (_, { ambiguous }) => (ambiguous === null ? [] : [ambiguous])
  },
  "outputs of 10 MB": plain,
  "malformed arguments, again and again": plain
} satisfies Readonly<Record<string, Form>>

/** The forms, by what they are about. */
export type GoldForm = keyof typeof forms
export const goldForms = Object.keys(forms) as ReadonlyArray<GoldForm>

const withEnds = (lines: ReadonlyArray<string>, ends: string): string => lines.map((line) => `${line}${ends}`).join("")

const blind = (line: string): string => line.replace(/[ \t]+$/, "")

/** In how many places whole lines stand, blanks at their ends aside. */
const blindPlaces = (lines: ReadonlyArray<string>, some: ReadonlyArray<string>): number => {
  const wanted = some.map(blind)
  return lines.filter((_, at) => wanted.every((words, below) => blind(lines[at + below] ?? "\n") === words)).length
}

/** What words lead to: an edit at their place, or at none because they stand in several; null else. */
const meaning = (text: string, lines: ReadonlyArray<string>, said: string, some: ReadonlyArray<string>, at: number) => {
  const first = text.indexOf(said)
  if (some.every((line) => line.trim() === "")) return null
  if (first === -1) return blindPlaces(lines, some) === 1 ? "here" : "anywhere"
  if (text.indexOf(said, first + 1) !== -1) return "anywhere"
  return first === at ? "here" : null
}

/** A hunk as an edit of a file as it is now, with as many lines around it as it takes. */
const saidHunk = (form: Form, draw: Draw, path: string, lines: ReadonlyArray<string>, hunk: Hunk): Said => {
  const text = withEnds(lines, form.ends)
  let ambiguous: GoldCall | null = null
  for (let around = hunk.take === 0 ? 1 : 0; ; around++) {
    const from = Math.max(0, hunk.at - around)
    const to = Math.min(lines.length, hunk.at + hunk.take + around)
    if (around > lines.length) throw new Error(`${path}: no words are enough`)
    const words = lines.slice(from, to).map((line) => form.says(draw, line))
    const end = hunk.at + hunk.take - from
    const put = [...words.slice(0, hunk.at - from), ...hunk.put, ...words.slice(end)]
    const [old, by] = [withEnds(words, form.saysEnds), withEnds(put, form.saysEnds)]
    const means = meaning(text, lines, old, words, withEnds(lines.slice(0, from), form.ends).length)
    if (means === "here" && old !== by) return { path, old, new: by, ambiguous }
    if (means === "anywhere" && old !== by) ambiguous = refused("edit", { path, old, new: by })
  }
}

const carried = (name: string, input: GoldCall["input"]): GoldCall => ({ name, input, refused: false })

/** A solution of a seed, in a form. */
export const goldOf = (number: number, name: GoldForm): Gold => {
  const draw = seededDraw(number)
  const form: Form = forms[name]
  const { added, edited, removed } = exerciseOf(draw)
  const before: Record<string, string> = { [removed[0]]: withEnds(removed[1], "\n") }
  const after: Record<string, string> = { [added[0]]: withEnds(added[1], "\n") }
  const answers: Array<ReadonlyArray<GoldCall>> = [edited.map(({ path }) => carried("read", { path }))]
  for (const { before: original, hunks, path } of edited) {
    let lines = form.file(draw, original)
    before[path] = withEnds(lines, form.ends)
    let moved = 0
    for (const hunk of hunks) {
      const put = name.startsWith("tabs") ? tabs(hunk.put) : hunk.put
      const here = { at: hunk.at + moved, take: hunk.take, put }
      const said = saidHunk(form, draw, path, lines, here)
      const mistakes = form.mistakes(draw, said)
      const edit = carried("edit", { path, old: said.old, new: said.new })
      // Sometimes a mistake is seen before the edit is said anew, sometimes both come in one answer.
      if (mistakes.length > 0 && draw(2) === 0) answers.push(mistakes, [edit])
      else answers.push([...mistakes, edit])
      lines = [...lines.slice(0, here.at), ...put, ...lines.slice(here.at + here.take)]
      moved += put.length - hunk.take
    }
    after[path] = withEnds(lines, form.ends)
  }
  answers.push([carried("write", { path: added[0], text: after[added[0]]! }), carried("remove", { path: removed[0] })])
  return { before, answers, after }
}
