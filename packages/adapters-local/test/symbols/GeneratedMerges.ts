/** Two-parent merges of real files: each side edits some of them, by chance that can be repeated. Native git judges. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export type Files = ReadonlyMap<string, string>

/** What both sides begin with, and what each of them made of it. */
export interface Merge {
  readonly base: Files
  readonly ours: Files
  readonly theirs: Files
}

/** The same numbers for the same seed. */
class Chance {
  private state: number

  constructor(seed: number) {
    this.state = (seed * 2_654_435_761) >>> 0
  }

  /** From 0 on, below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let word = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 4_294_967_296
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  of<A>(all: ReadonlyArray<A>): A {
    return all[this.below(all.length)]!
  }
}

const packages = fileURLToPath(new URL("../../../", import.meta.url))
const isReal = /\.(?:[cm]?[jt]sx?|md|json|css|html)$/

/** Every source of ours, by its path in a tree of its own. */
const realFiles = (): ReadonlyArray<readonly [path: string, text: string]> =>
  ["core", "sql", "router", "server", "adapters-local", "testing"].flatMap((name) =>
    ["src", "templates", "test"].flatMap((folder) => {
      const root = join(packages, name, folder)
      try {
        return readdirSync(root, { recursive: true, encoding: "utf8" })
          .filter((path) => isReal.test(path) && !path.includes("node_modules"))
          .toSorted()
          .map((path) => [`${name}/${path}`, readFileSync(join(root, path), "utf8")] as const)
          .filter(([, text]) => text.length > 200 && text.length < 20_000)
      } catch {
        return []
      }
    })
  )

/** Where the edits of one side happened: the other one comes near some of them. */
interface Spots {
  readonly all: Array<{ readonly path: string; readonly line: number }>
}

type Edit = (lines: Array<string>, at: number, chance: Chance) => void

/** Each leaves most files whole, so that their symbols can be read. */
const edits: ReadonlyArray<Edit> = [
  (lines, at, chance) => void (lines[at] = `${lines[at]} // ${chance.below(1000)}`),
  (lines, at, chance) =>
    void (lines[at] = (lines[at] ?? "").replace(/[a-z]\w+/, (word) => `${word}${chance.below(9)}`)),
  (lines, at, chance) => void lines.splice(at, 0, `const made${chance.below(1000)} = ${chance.below(1000)}`),
  (lines, _, chance) =>
    void lines.push("", `export const last${chance.below(1000)} = () => {`, `  return ${chance.below(9)}`, "}"),
  (lines, _, chance) => void lines.unshift(`import { one${chance.below(1000)} } from "./one${chance.below(1000)}.ts"`),
  // Between two declarations, where both sides like to put theirs.
  (lines, at, chance) => {
    const gap = lines.findIndex((line, index) => index >= at && line === "")
    const name = `between${chance.below(1000)}`
    lines.splice(gap < 0 ? lines.length : gap, 0, "", `export const ${name} = (one: number) => {`, "  return one", "}")
  },
  (lines, at, chance) => void lines.splice(at, 1 + chance.below(4)),
  (lines, at, chance) =>
    void lines.splice(chance.below(lines.length), 0, ...lines.slice(at, at + 1 + chance.below(12))),
  // A whole stretch goes elsewhere.
  (lines, at, chance) => {
    const taken = lines.splice(at, 2 + chance.below(15))
    lines.splice(chance.below(lines.length + 1), 0, ...taken)
  },
  // A declaration goes, from its first line to its last.
  (lines, at) => {
    const from = lines.findIndex((line, index) => index >= at && /^(?:export )?(?:const|function|class)/.test(line))
    const length = lines.slice(from + 1).findIndex((line) => /^[})\]]/.test(line))
    if (from >= 0 && length >= 0) lines.splice(from, length + 2)
  },
  (lines, at, chance) => {
    const word = /[a-zA-Z]{5,}/.exec(lines[at] ?? "")?.[0]
    if (word === undefined) return
    const name = `${word}${chance.below(9)}`
    for (const [index, line] of lines.entries()) lines[index] = line.replaceAll(word, name)
  },
  (lines, at, chance) => {
    for (let index = at; index < Math.min(lines.length, at + chance.below(20)); index++)
      lines[index] = `  ${lines[index]}`
  },
  (lines) => void lines.pop(),
  (lines, at) => void lines.splice(at, 0, ""),
  (lines) => {
    for (const [index, line] of lines.entries()) lines[index] = `${line}\r`
  },
  (lines) => void lines.splice(0, lines.length, ...lines.toReversed())
]

/** Chances that an edit is taken, in the order of `edits`: those that break a file or write it anew are rare. */
const weights = [6, 6, 4, 4, 4, 6, 2, 1, 2, 4, 3, 1, 1, 3, 0.3, 0.2]

const drawn = (chance: Chance): Edit => {
  let left = chance.next() * weights.reduce((sum, each) => sum + each, 0)
  return edits[weights.findIndex((weight) => (left -= weight) < 0)] ?? edits[0]!
}

const editOne = (files: Map<string, string>, path: string, chance: Chance, near: Spots, own: Spots): void => {
  const lines = (files.get(path) ?? "").split("\n")
  const spot = near.all.filter((each) => each.path === path)
  const close = spot.length > 0 && chance.next() < 0.5 ? chance.of(spot).line + chance.below(7) - 3 : undefined
  const at = Math.min(lines.length - 1, Math.max(0, close ?? chance.below(lines.length)))
  own.all.push({ path, line: at })
  drawn(chance)(lines, at, chance)
  files.set(path, lines.join("\n"))
}

/** What becomes of whole files: gone, new, called otherwise, or a folder. */
const moveOne = (files: Map<string, string>, path: string, chance: Chance): void => {
  const text = files.get(path) ?? ""
  const kind = chance.below(4)
  if (kind !== 1) files.delete(path)
  if (kind === 1) files.set(`${path.replace(/\.[^.]+$/, "")}-new.ts`, `export const fresh = ${chance.below(1000)}\n`)
  if (kind === 2) files.set(path.replace(/(\.[^.]+)$/, `-${chance.below(2)}$1`), text)
  if (kind === 3) files.set(`${path}/index.ts`, text)
}

const sideOf = (base: Files, chance: Chance, near: Spots): readonly [Files, Spots] => {
  const files = new Map(base)
  const own: Spots = { all: [] }
  for (let count = 1 + chance.below(4); count > 0; count--) {
    const there = [...files.keys()]
    const path = near.all.length > 0 && chance.next() < 0.6 ? chance.of(near.all).path : chance.of(there)
    if (!files.has(path)) continue
    if (chance.next() < 0.04 && files.size > 1) moveOne(files, path, chance)
    else editOne(files, path, chance, near, own)
  }
  return [files, own]
}

/** The merges of these seeds. */
export const generated = (seeds: ReadonlyArray<number>): ReadonlyArray<Merge> => {
  const real = realFiles()
  return seeds.map((seed) => {
    const chance = new Chance(seed)
    const base: Files = new Map(Array.from({ length: 2 + chance.below(4) }, () => chance.of(real)))
    const [ours, spots] = sideOf(base, chance, { all: [] })
    const [theirs] = sideOf(base, chance, spots)
    return { base, ours, theirs }
  })
}

const environment = { ...process.env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", LC_ALL: "C.UTF-8" }

const git = (folder: string, args: ReadonlyArray<string>, input: string): string => {
  // As every repository of ours merges.
  const done = spawnSync("git", ["-c", "merge.directoryRenames=false", ...args], {
    cwd: folder,
    env: environment,
    input,
    maxBuffer: 1024 ** 3
  })
  if (done.status !== 0) throw new Error(`git ${args[0]}: ${done.stderr.toString()}`)
  return done.stdout.toString()
}

const commitOf = (mark: number, files: Files, parent: number | null): string =>
  [
    `commit refs/heads/c${mark}`,
    `mark :${mark}`,
    "committer Pawl <pawl@localhost> 1700000000 +0000",
    "data 0",
    ...(parent === null ? [] : [`from :${parent}`, "deleteall"]),
    ...[...files].flatMap(([path, text]) => [`M 100644 inline ${path}`, `data ${Buffer.byteLength(text)}`, text]),
    ""
  ].join("\n")

/** The paths in which native git finds a conflict, of each merge; none where it merges. */
export const judged = (merges: ReadonlyArray<Merge>): ReadonlyArray<ReadonlyArray<string>> => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-merges-"))
  try {
    git(folder, ["init", "--quiet", "--bare", "."], "")
    const commits = merges.flatMap(({ base, ours, theirs }, index) => [
      commitOf(3 * index + 1, base, null),
      commitOf(3 * index + 2, ours, 3 * index + 1),
      commitOf(3 * index + 3, theirs, 3 * index + 1)
    ])
    git(folder, ["fast-import", "--quiet", "--force"], commits.join(""))
    const pairs = merges.map((_, index) => `c${3 * index + 2} c${3 * index + 3}\n`).join("")
    const said = git(folder, ["merge-tree", "--write-tree", "--stdin", "--name-only", "-z", "--no-messages"], pairs)
    return answersIn(said, merges.length)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Of each merge `1` or `0` (clean or not), its tree, its paths in conflict, and an empty field. */
const answersIn = (said: string, count: number): ReadonlyArray<ReadonlyArray<string>> => {
  const fields = said.split("\0")
  const answers: Array<ReadonlyArray<string>> = []
  let at = 0
  while (answers.length < count) {
    const isClean = fields[at] === "1"
    if (!isClean && fields[at] !== "0") throw new Error(`merge-tree said ${JSON.stringify(fields[at])}`)
    const paths: Array<string> = []
    at += 2
    while ((fields[at] ?? "") !== "") paths.push(fields[at++]!)
    at++
    answers.push(isClean ? [] : paths)
  }
  return answers
}
