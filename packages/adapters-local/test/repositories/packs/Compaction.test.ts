import { createHash } from "node:crypto"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Limits } from "@pawl/core/primitives/Limits"
import * as Time from "@pawl/core/primitives/Time"
import { PackLog } from "@pawl/core/project/PackLog"
import { isPackSweepDue, sweepLitter, sweepPacks } from "@pawl/core/upkeep/PackSweep"
import { Repositories } from "@pawl/core/project/Repositories"
import { scene, tagOf, textFiles } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { rounds } from "@pawl/testing/Depth"
import { filesBelow, loseCopies, type Machine, run, step } from "./PackWorld.ts"

/** Text that does not become much smaller: its pack does not go into a row. */
const noise = (n: number): string =>
  Array.from({ length: 3000 }, (_, i) => createHash("sha256").update(`${n} ${i}`).digest("base64")).join("\n")

const keys = Effect.flatMap(ObjectStore, (objects) =>
  Effect.map(objects.list("git/"), (found) => found.map(({ key }) => key))
)
const packsOf = (project: string) => Effect.flatMap(PackLog, (log) => log.since({ project }, null))
const sweep = ({ git }: Machine) => Effect.provideService(sweepPacks, Repositories, git)

/** Writes beside readers; packs are joined after each 64. */
const writes = rounds({ quick: 20, deep: 60, long: 300 })

/** A Project whose main moved on so often that its packs are many. */
const longLine = Effect.fnUntraced(function* ({ git }: Machine) {
  const s = yield* scene(git, undefined, { "big.txt": noise(1), "n.txt": "0\n" })
  let at = s.s0
  for (let n = 1; n <= Limits.hotPacks + 2; n++)
    at = yield* step(git, { project: s.project, fork: s.cand(1).fork, at: at.commit }, { "n.txt": `${n}\n` })
  return { ...s, at }
})

describe("Packs that are many", () => {
  it("become one base with an index, which a machine without copies begins with; the rest goes after the grace, and who still holds an older list looks once for a newer one", () =>
    run((world) =>
      Effect.gen(function* () {
        const here = yield* world.machine()
        const line = yield* longLine(here)
        const before = yield* keys
        const old = yield* packsOf(line.project)
        expect(before.length).toBeGreaterThan(0)
        expect(yield* isPackSweepDue).toBe(true)
        yield* sweep(here)
        const found = yield* packsOf(line.project)
        expect(found?.packs.map(({ isBase, through }) => [isBase, through])).toEqual([[true, found?.through]])
        const base = found?.packs[0]?.object ?? ""
        expect(yield* keys).toEqual(expect.arrayContaining([...before, `${base}.pack`, `${base}.idx`]))
        const cold = yield* world.machine()
        expect(yield* cold.git.main(line.project)).toEqual(line.at)
        expect((yield* textFiles(cold.git, line.canon, line.at.tree))["big.txt"]).toBe(noise(1))
        // As it was stored, without a git.
        expect(filesBelow(cold.root).filter((path) => path.endsWith(".rev"))).toEqual([])
        // Who had copies goes on with them, and the line goes on.
        const next = yield* step(
          here.git,
          { project: line.project, fork: line.cand(2).fork, at: line.at.commit },
          { x: "x" }
        )
        expect(yield* cold.git.main(line.project)).toEqual(next)
        const twice = (yield* packsOf(line.project))?.hotPacks
        yield* sweep(here)
        expect((yield* packsOf(line.project))?.hotPacks).toBe(twice)
        yield* TestClock.adjust(Limits.packGraceMs)
        expect(yield* isPackSweepDue).toBe(true)
        yield* sweep(here)
        expect(yield* isPackSweepDue).toBe(false)
        // Of canonical the base alone; the fork in which it all was made has packs of its own.
        const ofFork = yield* (yield* PackLog).since(line.cand(1), null)
        const named = ofFork?.packs.flatMap(({ isBase, object }) =>
          object === null ? [] : isBase ? [`${object}.idx`, `${object}.pack`] : [`${object}.pack`]
        )
        expect(yield* keys).toEqual([`${base}.idx`, `${base}.pack`, ...(named ?? [])].toSorted())
        expect((yield* (yield* world.machine()).git.main(line.project)).commit).toBe(next.commit)

        const log = yield* PackLog
        let asked = 0
        const sinceEach: PackLog["Service"]["sinceEach"] = (wanted) =>
          asked++ < 1 ? Effect.succeed(wanted.map(() => old)) : log.sinceEach(wanted)
        const late = yield* Effect.provideService(world.machine(), PackLog, { ...log, sinceEach })
        // One look at the old list: in the turn.
        expect(yield* late.git.resolve(line.canon, line.at.commit)).toEqual(line.at)
        const objects = yield* ObjectStore
        for (const key of yield* keys) yield* objects.remove(key)
        const empty = yield* world.machine()
        expect(yield* tagOf(empty.git.resolve(line.canon, line.at.commit))).toBe("RepositoriesUnavailable")
      })
    ))

  it("are joined beside readers, warm, cold and between two lists, of whom none fails or misses a commit", () =>
    run((world) =>
      Effect.gen(function* () {
        const here = yield* world.machine()
        const other = yield* world.machine()
        const warm = yield* world.machine()
        const line = yield* longLine(here)
        let [isOver, reads] = [false, 0]
        const reading = (machine: Machine, loses: boolean) =>
          Effect.gen(function* () {
            while (!isOver) {
              const main = yield* machine.git.main(line.project)
              const files = yield* textFiles(machine.git, line.canon, main.tree)
              expect(Number(files["n.txt"])).toBeGreaterThanOrEqual(Limits.hotPacks + 2)
              reads++
              if (loses) loseCopies(machine)
            }
          })
        const writing = Effect.gen(function* () {
          let at = line.at
          const project = line.project
          for (let n = 0; n < writes; n++) {
            if (n % 10 === 0) yield* Effect.all([sweep(here), sweep(other)], { concurrency: 2 })
            at = yield* step(
              here.git,
              { project, fork: line.cand(3).fork, at: at.commit },
              { "n.txt": `${1000 + n}\n` }
            )
          }
          isOver = true
          return at
        })
        const [at] = yield* Effect.all([writing, reading(warm, false), reading(other, true)], {
          concurrency: "unbounded"
        })
        expect(reads).toBeGreaterThan(2)
        expect(yield* (yield* world.machine()).git.main(line.project)).toEqual(at)
        expect((yield* packsOf(line.project))?.packs.filter(({ isBase }) => isBase)).toHaveLength(1)
      })
    ))
})

describe("What is deleted", () => {
  it("leaves nothing after the grace: of a fork, of a Project with its forks, and of what no row ever named", () =>
    run((world) =>
      Effect.gen(function* () {
        const here = yield* world.machine()
        const there = yield* world.machine()
        const s = yield* scene(here.git, undefined, { "big.txt": noise(1) })
        const made = yield* s.edit(s.ws(1), s.s0.commit, { "other.txt": noise(2) })
        yield* s.edit(s.ws(2), s.s0.commit, { "other.txt": noise(3) })
        yield* there.git.resolve(s.ws(1), made.commit)
        const all = yield* keys
        yield* there.git.remove(s.ws(1))
        expect(yield* tagOf(here.git.resolve(s.ws(1), made.commit))).toBe("ObjectNotFound")
        yield* sweep(here)
        expect(yield* keys).toEqual(all)
        yield* TestClock.adjust(Limits.packGraceMs)
        yield* sweep(here)
        expect(yield* keys).toHaveLength(all.length - 1)
        yield* here.git.remove(s.canon)
        expect(yield* tagOf(there.git.main(s.project))).toBe("ObjectNotFound")
        expect(yield* tagOf(there.git.resolve(s.canon, s.s0.commit))).toBe("ObjectNotFound")
        yield* TestClock.adjust(Limits.packGraceMs)
        yield* sweep(there)
        expect(yield* keys).toEqual([])
        for (const machine of [here, there])
          expect(filesBelow(machine.root).filter((path) => path.includes(s.project))).toEqual([])
      })
    ))

  it("spares what waits in the trash or is named, when litter is swept; takes the rest after a day", () =>
    run((world) =>
      Effect.gen(function* () {
        const here = yield* world.machine()
        const objects = yield* ObjectStore
        const s = yield* scene(here.git, undefined, { "big.txt": noise(1) })
        yield* s.edit(s.ws(1), s.s0.commit, { "other.txt": noise(2) })
        const named = yield* keys
        yield* here.git.remove(s.ws(1))
        yield* objects.put(`git/${s.project}/nobody-00000000.pack`, new Uint8Array(3))
        yield* objects.put(`git/${s.project}/nobody-00000000.idx`, new Uint8Array(3))
        const now = Date.now()
        expect(yield* sweepLitter(null, now, "")).toBe(null)
        expect(yield* keys).toHaveLength(named.length + 2)
        yield* sweepLitter(null, now + (Limits.packLitterDays + 1) * Time.dayMs, "")
        expect(yield* keys).toEqual(named)
      })
    ))
})
