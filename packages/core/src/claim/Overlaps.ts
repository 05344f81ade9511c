/** What two sides both write. Pure: of claims, and of what ChangeSets touched, alike. */
import type { Claim } from "../model/Claim.ts"
import type { Intent } from "../model/ChangeSet.ts"
import type { Overlap } from "../model/Overlap.ts"
import type { Touched } from "./Touched.ts"

/** What one side writes. */
export interface Writes {
  /** Files, and folders where a plan named one. */
  readonly paths: ReadonlySet<string>
  /** By path, where more is known than the path. */
  readonly symbols: ReadonlyMap<string, ReadonlySet<string>>
  readonly routes: ReadonlySet<string>
}

/** A symbol as a claim names it. */
const symbolValue = (path: string, symbol: string): string => `${path}#${symbol}`

/** Only code has symbols: the path goes as far as the name of such a file. */
const place = /^(.*?\.[cm]?[jt]sx?)#(.*)$/

const placeOf = (value: string): readonly [path: string, symbol: string] => {
  const [, path = value, symbol = ""] = place.exec(value) ?? []
  return [path, symbol]
}

/** What claims, or what was declared, come to: what is only read is none of it. */
export const writesOf = (claims: Iterable<Pick<Claim, "kind" | "value" | "mode">>): Writes => {
  const [paths, routes] = [new Set<string>(), new Set<string>()]
  const symbols = new Map<string, Set<string>>()
  for (const { kind, mode, value } of claims) {
    if (mode === "read") continue
    if (kind === "route") routes.add(value)
    else if (kind === "path") paths.add(value.replace(/\/+$/, ""))
    else {
      const [path, symbol] = placeOf(value)
      paths.add(path)
      symbols.set(path, (symbols.get(path) ?? new Set()).add(symbol))
    }
  }
  return { paths, symbols, routes }
}

/** What was touched, as what is claimed of it. */
export const intentsOf = (touched: ReadonlyArray<Touched>): ReadonlyArray<Intent> =>
  touched.flatMap(({ path, routes, symbols }) => [
    { kind: "path" as const, value: path, mode: "write" as const },
    ...(symbols ?? []).map((each) => ({
      kind: "symbol" as const,
      value: symbolValue(path, each),
      mode: "write" as const
    })),
    ...routes.map((value) => ({ kind: "route" as const, value, mode: "write" as const }))
  ])

/** Both sides' path where one is the other, or a folder that it lies in; the longer one. */
const met = (one: string, other: string): string | null => {
  if (one === other || one.startsWith(`${other}/`)) return one
  return other.startsWith(`${one}/`) ? other : null
}

/** The paths of both sides that meet. Equal ones are looked up: only folders are compared with each. */
export const meetings = (mine: ReadonlySet<string>, theirs: ReadonlySet<string>): ReadonlySet<string> => {
  const found = new Set([...mine].filter((path) => theirs.has(path)))
  const folders = (of: ReadonlySet<string>) =>
    new Set([...of].flatMap((path) => path.split("/").map((_, index, all) => all.slice(0, index).join("/"))))
  const [above, below] = [folders(mine), folders(theirs)]
  for (const path of theirs) if (above.has(path)) for (const own of mine) if (met(own, path) === own) found.add(own)
  for (const path of mine) if (below.has(path)) for (const own of theirs) if (met(own, path) === own) found.add(own)
  return found
}

/** What both sides write: by symbol where both know theirs, else by path. */
export const common = (mine: Writes, theirs: Writes): ReadonlyArray<Pick<Overlap, "path" | "symbol">> => {
  const files = [...meetings(mine.paths, theirs.paths)].flatMap(
    (path): ReadonlyArray<Pick<Overlap, "path" | "symbol">> => {
      const [own, other] = [mine.symbols.get(path), theirs.symbols.get(path)]
      if (own === undefined || other === undefined) return [{ path, symbol: null }]
      return [...own].filter((symbol) => other.has(symbol)).map((symbol) => ({ path, symbol }))
    }
  )
  const routes = [...mine.routes].filter((route) => theirs.routes.has(route))
  return [...files, ...routes.map((symbol) => ({ path: null, symbol }))]
}

/** An overlap in words, for a model: what strangers named stands in it. */
export const overlapWords = ({ path, symbol, taskId }: Overlap): string =>
  `${[path, symbol].filter((each) => each !== null).join(", ")}: also written by ${taskId}`

/** Someone else's work. */
export interface Other extends Pick<Overlap, "changeId" | "taskId"> {
  readonly writes: Writes
}

/** What a side has in common with each of some others, in their order; each thing of a Change once. */
export const overlapsWith = (mine: Writes, others: ReadonlyArray<Other>): ReadonlyArray<Overlap> => {
  const found = new Map<string, Overlap>()
  for (const { changeId, taskId, writes } of others)
    for (const each of common(mine, writes)) {
      const key = JSON.stringify([changeId, each.path, each.symbol])
      if (!found.has(key)) found.set(key, { changeId, taskId, ...each })
    }
  return [...found.values()]
}
