import { rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { PackLog } from "@pawl/core/project/PackLog"
import { Processes } from "@pawl/adapters-local/spawner/Processes"
import { startHere } from "@pawl/adapters-local/spawner/StartHere"
import type { Starter } from "@pawl/adapters-local/spawner/Starter"
import { writing } from "@pawl/adapters-local/repositories/packs/CopyWrites"
import { pathIn } from "@pawl/adapters-local/repositories/packs/Copies"
import { objectFiles } from "@pawl/adapters-local/repositories/packs/ObjectFiles"
import { scene, signature, textFiles } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { copyParts, run } from "./PackWorld.ts"

/** What each git is told to do first. */
const counted = () => {
  const started: Array<string> = []
  const start: Starter = (program) => {
    started.push(program.args.find((each) => /^[a-z]+(-[a-z]+)*$/.test(each)) ?? "")
    return startHere(program)
  }
  return { started, start }
}

/** Which of the files that a merge left goes away before they are looked at. */
const lost: ReadonlyArray<readonly [what: string, which: RegExp, nth: number]> = [
  ["an object that the merge wrote", /^[0-9a-f]{2}\//, 0],
  ["another one", /^[0-9a-f]{2}\//, 1],
  ["a third", /^[0-9a-f]{2}\//, 2],
  ["a fourth", /^[0-9a-f]{2}\//, 3],
  ["the pack of a ChangeSet", /^pack\//, 0],
  ["the pack of the other ChangeSet", /^pack\//, 1]
]

describe("What a write leaves", () => {
  it("is looked at without a git: a merge of other files starts a reader alone, and rests on what others have", () =>
    run((world) =>
      Effect.gen(function* () {
        const { start, started } = counted()
        const here = yield* Effect.provideService(world.machine(), Processes, start)
        const s = yield* scene(here.git)
        const first = yield* s.edit(s.ws(1), s.s0.commit, { "src/a.ts": "a2\n" })
        const second = yield* s.edit(s.ws(2), s.s0.commit, { "src/b.ts": "b2\n" })
        started.length = 0
        const merging = s.merge(s.cand(1), s.s0.commit, [s.ws(1), first.commit], [s.ws(2), second.commit])
        const merged = yield* Effect.provideService(merging, Processes, start)
        expect(started.filter((each) => each !== "cat-file" && each !== "ls-tree")).toEqual([])
        const cold = yield* world.machine()
        expect(yield* textFiles(cold.git, s.cand(1), merged.tree)).toMatchObject({
          "src/a.ts": "a2\n",
          "src/b.ts": "b2\n"
        })
      })
    ))

  it.each(lost)("is not handed on with a hole: %s is gone", (_, which, nth) =>
    run((world) =>
      Effect.gen(function* () {
        const there = yield* world.machine()
        const s = yield* scene(there.git)
        const first = yield* s.edit(s.ws(1), s.s0.commit, { "src/a.ts": "a2\n" })
        const second = yield* s.edit(s.ws(2), s.s0.commit, { "src/b.ts": "b2\n" })
        const { git, parts } = yield* copyParts
        const into = s.cand(1)
        yield* there.git.fork(into)
        const merging = git.merge({
          into,
          base: s.s0.commit,
          commits: [
            { from: s.ws(1), commit: first.commit, message: "merge" },
            { from: s.ws(2), commit: second.commit, message: "merge" }
          ],
          signature
        })
        let times = 0
        const work = Effect.tap(
          merging,
          Effect.fnUntraced(function* () {
            if (times++ > 0) return
            const { gitDir } = yield* pathIn(parts, into)
            const files = (yield* Effect.promise(() => objectFiles(gitDir)))
              .filter((name) => which.test(name))
              .toSorted()
            expect(files.length).toBeGreaterThan(nth)
            rmSync(join(gitDir, "objects", files[nth]!))
          })
        )
        const merged = yield* writing(parts)(into, [s.ws(1), s.ws(2)], work)
        expect(times).toBe(2)
        const cold = yield* world.machine()
        expect(yield* textFiles(cold.git, into, merged.tree)).toMatchObject({ "src/a.ts": "a2\n", "src/b.ts": "b2\n" })
        expect((yield* cold.git.parents(into, merged.commit)).length).toBe(2)
      })
    )
  )

  it("is not handed on without what the ChangeSet that was merged rests on itself", () =>
    run((world) =>
      Effect.gen(function* () {
        const there = yield* world.machine()
        const s = yield* scene(there.git)
        const { git, parts } = yield* copyParts
        const write = writing(parts)
        const edit = Effect.fnUntraced(function* (
          into: ReturnType<typeof s.ws>,
          base: string,
          edits: Readonly<Record<string, string>>,
          from: ReadonlyArray<ReturnType<typeof s.ws>>
        ) {
          yield* write(into, [], git.fork(into))
          return yield* write(into, from, git.commit({ into, base, from, edits, message: "edit", signature }))
        })
        const first = yield* edit(s.ws(1), s.s0.commit, { "src/a.ts": "a2\n" }, [])
        const { gitDir: firstDir } = yield* pathIn(parts, s.ws(1))
        const [rested] = yield* Effect.promise(() => objectFiles(firstDir))
        const second = yield* edit(s.ws(2), first.commit, { "src/b.ts": "b2\n" }, [s.ws(1)])
        const into = s.cand(1)
        yield* write(into, [], git.fork(into))
        let times = 0
        const work = Effect.tap(
          git.merge({
            into,
            base: s.s0.commit,
            commits: [{ from: s.ws(2), commit: second.commit, message: "merge" }],
            signature
          }),
          Effect.fnUntraced(function* () {
            if (times++ > 0) return
            const { gitDir } = yield* pathIn(parts, into)
            // Of its own pack nothing goes, so all is there that the merge itself names.
            rmSync(join(gitDir, "objects", rested!))
          })
        )
        const merged = yield* write(into, [s.ws(2)], work)
        expect(times).toBe(2)
        const cold = yield* world.machine()
        expect(yield* textFiles(cold.git, into, merged.tree)).toMatchObject({ "src/a.ts": "a2\n", "src/b.ts": "b2\n" })
        expect(yield* cold.git.parents(into, second.commit)).toEqual([first.commit])
        expect(yield* cold.git.parents(into, first.commit)).toEqual([s.s0.commit])
      })
    ))

  it("is read once by a machine without copies, and never when they are as the log", () =>
    run((world) =>
      Effect.gen(function* () {
        const here = yield* world.machine()
        const s = yield* scene(here.git)
        const log = yield* PackLog
        let reads = 0
        const sinceEach: PackLog["Service"]["sinceEach"] = (wanted) => {
          reads++
          return log.sinceEach(wanted)
        }
        const cold = yield* Effect.provideService(world.machine(), PackLog, { ...log, sinceEach })
        expect(yield* cold.git.main(s.project)).toEqual(s.s0)
        expect(reads).toBe(1)
        yield* cold.git.list(s.canon, s.s0.tree)
        expect(yield* cold.git.main(s.project)).toEqual(s.s0)
        expect(reads).toBe(1)
      })
    ))
})
