/** Which package of a lock needs which: by the names that it imports, and the place where Node finds each. Pure. */
import { compareCodePoints } from "../primitives/CodePoints.ts"
import type { PackageLock } from "./PackageLock.ts"

/** By the place of a package, the places of what it needs, sorted; the source itself is "". */
export type PackageGraph = ReadonlyMap<string, ReadonlyArray<string>>

/** Where Node looks for what a folder imports, the nearest first. */
const lookedAt = (folder: string, name: string): ReadonlyArray<string> => {
  const places: Array<string> = []
  for (let at = folder; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/"))))
    if (at !== "node_modules" && !at.endsWith("/node_modules")) places.push(`${at}/node_modules/${name}`)
  return [...places, `node_modules/${name}`]
}

/** What is needed and stands nowhere in the lock, as an optional package of another machine, is not there. */
export const graphOf = ({ direct, links, packages }: PackageLock): PackageGraph => {
  const there = new Set(packages.map(({ path }) => path))
  const linked = new Map(links.map(({ path, target }) => [path, target]))
  const placesOf = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
    const found = names.flatMap((name) => {
      for (const place of lookedAt(folder, name)) {
        const target = linked.get(place) ?? place
        if (there.has(target)) return [target]
      }
      return []
    })
    return [...new Set(found)].toSorted(compareCodePoints)
  }
  const own = direct.map(({ name }) => name)
  return new Map([
    ["", placesOf("", own)],
    ...packages.map(({ needs = [], path }) => [path, placesOf(path, needs)] as const)
  ])
}
