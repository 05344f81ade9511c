/** Random versions of one source, as two people may have left it: with lines repeated, files moved, modes changed. */
import * as FastCheck from "fast-check"
import { utf8 } from "@pawl/core/primitives/Digest"
import { gitObject } from "@pawl/adapters-cloudflare/repositories/GitObject"
import type { TreeFile } from "@pawl/adapters-cloudflare/repositories/Tree"

/** A file's lines; `bytes` where it is none of text. */
interface Source {
  readonly lines: ReadonlyArray<string>
  readonly executable: boolean
  readonly ends: boolean
}
type Sources = ReadonlyMap<string, Source>

const paths = ["a.txt", "b.txt", "src/a.ts", "src/b.ts", "src/deep/c.ts", "docs/one.md", "docs/two.md"]
const others = ["new.txt", "src/new.ts", "docs/three.md", "moved/a.txt", "src/deep/d.ts", "a.txt/inside", "lib/b.ts"]

/** Few of them are alike, so that programs that pair lines have a choice. */
const line = FastCheck.oneof(
  { weight: 6, arbitrary: FastCheck.integer({ min: 0, max: 999 }).map((n) => `line ${n}`) },
  { weight: 2, arbitrary: FastCheck.constantFrom("", "}", "  return", "{", "é ü") },
  { weight: 1, arbitrary: FastCheck.constantFrom("\0binary", "\t") }
)

const source: FastCheck.Arbitrary<Source> = FastCheck.record({
  lines: FastCheck.array(line, { minLength: 0, maxLength: 24, size: "max" }),
  executable: FastCheck.constantFrom(false, false, false, true),
  ends: FastCheck.constantFrom(true, true, true, false)
})

/** What one side does. */
const step = FastCheck.record({
  path: FastCheck.constantFrom(...paths),
  what: FastCheck.constantFrom(
    "line",
    "line",
    "line",
    "insert",
    "insert",
    "remove",
    "delete",
    "move",
    "moveFolder",
    "add",
    "mode",
    "repeat"
  ),
  to: FastCheck.constantFrom(...others),
  at: FastCheck.nat(24),
  line,
  added: source
})
type Step = typeof step extends FastCheck.Arbitrary<infer A> ? A : never

const inFolder = (sources: Map<string, Source>, from: string, to: string): void => {
  for (const [path, each] of sources)
    if (path.startsWith(`${from}/`)) {
      sources.delete(path)
      sources.set(`${to}${path.slice(from.length)}`, each)
    }
}

const doing = (sources: Map<string, Source>, { added, at, line: put, path, to, what }: Step): void => {
  const here = sources.get(path)
  if (what === "add") sources.set(to, added)
  else if (what === "moveFolder") inFolder(sources, "docs", "pages")
  else if (here === undefined) return
  else if (what === "delete") sources.delete(path)
  else if (what === "mode") sources.set(path, { ...here, executable: !here.executable })
  else if (what === "move") {
    sources.delete(path)
    sources.set(to, here)
  } else {
    const lines = [...here.lines]
    if (what === "line") lines[Math.min(at, lines.length)] = put
    else if (what === "insert") lines.splice(at, 0, put)
    else if (what === "repeat") lines.splice(at, 0, ...lines.slice(at, at + 2))
    else lines.splice(at, 2)
    sources.set(path, { ...here, lines })
  }
}

const applied = (base: Sources, steps: ReadonlyArray<Step>): Sources => {
  const sources = new Map(base)
  for (const each of steps) doing(sources, each)
  return sources
}

/** The files of a tree that git can hold: none is a directory as well. */
const filesOf = (sources: Sources): ReadonlyMap<string, TreeFile> =>
  new Map(
    [...sources]
      .filter(([path]) => ![...sources.keys()].some((other) => other.startsWith(`${path}/`)))
      .map(([path, { ends, executable, lines }]) => {
        const object = gitObject("blob", utf8(lines.join("\n") + (ends && lines.length > 0 ? "\n" : "")))
        return [path, { id: object.id, size: object.body.length, executable, object }]
      })
  )

const steps = FastCheck.array(step, { minLength: 1, maxLength: 4, size: "max" })

/** Three versions: what both began with, and what each made of it. */
export const versions = FastCheck.record({
  base: FastCheck.uniqueArray(FastCheck.tuple(FastCheck.constantFrom(...paths), source), {
    minLength: 4,
    maxLength: 7,
    size: "max",
    selector: ([path]) => path
  }),
  ours: steps,
  theirs: steps
}).map(({ base, ours, theirs }) => {
  const start = new Map(base)
  return {
    base: filesOf(start),
    ours: filesOf(applied(start, ours)),
    theirs: filesOf(applied(start, theirs))
  }
})
