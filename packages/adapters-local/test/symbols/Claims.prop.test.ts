import { common, intentsOf, writesOf, type Writes } from "@pawl/core/claim/Overlaps"
import { type FileWork, type Touched, touchedIn } from "@pawl/core/claim/Touched"
import { numbers } from "@pawl/testing/Depth"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { layer } from "@pawl/adapters-local/symbols/BabelSymbols"
import { type Files, generated, judged, type Merge } from "./GeneratedMerges.ts"

/** What a side did with each file that it changed. */
const workOf = (base: Files, side: Files): ReadonlyArray<FileWork> =>
  [...new Set([...base.keys(), ...side.keys()])]
    .filter((path) => base.get(path) !== side.get(path))
    .map((path) => ({ path, before: base.get(path) ?? null, after: side.get(path) ?? null }))

interface Claimed {
  readonly bySymbol: Writes
  readonly byPath: Writes
}

const claimed = (touched: ReadonlyArray<Touched>): Claimed => ({
  bySymbol: writesOf(intentsOf(touched)),
  byPath: writesOf(touched.map(({ path }) => ({ kind: "path", value: path, mode: "write" })))
})

/** What each side of each merge claims; many files are read in one go. */
const claimsOf = (merges: ReadonlyArray<Merge>) =>
  Effect.forEach(merges, ({ base, ours, theirs }) =>
    Effect.map(touchedIn([...workOf(base, ours), ...workOf(base, theirs)]), (touched) => {
      const own = workOf(base, ours).length
      return { ours: claimed(touched.slice(0, own)), theirs: claimed(touched.slice(own)) }
    })
  )

/** Whether somebody calls a file otherwise on one side: git then names the conflict by either name. */
const isRenamed = ({ base, ours, theirs }: Merge): boolean =>
  [ours, theirs].some((side) => [...base.keys()].some((path) => !side.has(path)))

// `npm test` takes about 60 of them, and with each commit others; `test:deep` takes all.
const seeds = numbers(1_000, { quick: 60 })

describe("Claims of both sides of a merge", () => {
  const merges = generated(seeds)
  const conflicts = judged(merges)
  const claims = Effect.runPromise(Effect.provide(claimsOf(merges), layer))

  it("overlap wherever native git finds a conflict, in the file that git names", async () => {
    const missed = (await claims).flatMap(({ ours, theirs }, index) => {
      const [merge, paths] = [merges[index]!, conflicts[index]!]
      if (paths.length === 0) return []
      const found = common(ours.bySymbol, theirs.bySymbol)
      const named = new Set(found.map(({ path }) => path))
      const unnamed = isRenamed(merge) ? [] : paths.filter((path) => !named.has(path))
      return found.length === 0 || unnamed.length > 0 ? [{ seed: seeds[index], paths, found }] : []
    })
    expect(missed).toEqual([])
  })

  it("are fewer false alarms by symbol than by path, and git finds conflicts in enough of them to tell", async () => {
    const alarms = { merges: merges.length, conflicts: 0, byPath: 0, bySymbol: 0, falseByPath: 0, falseBySymbol: 0 }
    for (const [index, { ours, theirs }] of (await claims).entries()) {
      const isConflict = conflicts[index]!.length > 0
      const byPath = common(ours.byPath, theirs.byPath).length > 0
      const bySymbol = common(ours.bySymbol, theirs.bySymbol).length > 0
      alarms.conflicts += Number(isConflict)
      alarms.byPath += Number(byPath)
      alarms.bySymbol += Number(bySymbol)
      alarms.falseByPath += Number(byPath && !isConflict)
      alarms.falseBySymbol += Number(bySymbol && !isConflict)
    }
    console.log(JSON.stringify(alarms))
    expect(alarms.conflicts).toBeGreaterThan(merges.length / 20)
    expect(merges.length - alarms.byPath).toBeGreaterThan(merges.length / 20)
    expect(alarms.falseBySymbol).toBeLessThan(alarms.falseByPath)
  })
})
