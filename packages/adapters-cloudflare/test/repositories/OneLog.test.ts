import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MemoryLedger, MemoryObjectStore } from "@pawl/adapters-memory"
import * as PackRepositories from "@pawl/adapters-local/repositories/packs/PackRepositories"
import { Limits } from "@pawl/core/primitives/Limits"
import { PackLog } from "@pawl/core/project/PackLog"
import { Repositories } from "@pawl/core/project/Repositories"
import {
  base,
  candidate,
  projectId,
  scene,
  signature,
  textFiles
} from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { Context, Effect, Layer } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { layer } from "@pawl/adapters-cloudflare/repositories/PackLogRepositories"

const root = mkdtempSync(join(tmpdir(), "one-log-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const stores = Layer.merge(MemoryLedger.layerMemory, MemoryObjectStore.layerMemory)

/** Repositories without git, and those of a machine with git, over one log. */
const both = Effect.gen(function* () {
  const shared = Layer.succeedContext(yield* Layer.build(stores))
  const plain = Context.get(yield* Layer.build(Layer.provide(layer, shared)), Repositories)
  const git = yield* Layer.build(Layer.provide(PackRepositories.layer({ directory: join(root, "copies") }), shared))
  const log = Context.get(yield* Layer.build(shared), PackLog)
  const newcomer = Effect.map(Layer.build(Layer.fresh(Layer.provide(layer, shared))), (built) =>
    Context.get(built, Repositories)
  )
  return { newcomer, plain, git: Context.get(git, Repositories), log }
})

describe("One log of packs", () => {
  it("is read and written by repositories without git and by git on machines, in turn, with the same ids", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { git, log, newcomer, plain } = yield* both
          const one = yield* scene(plain, projectId(1))
          expect(yield* git.main(one.project)).toEqual(one.s0)
          const [mine, its] = [one.ws(1), one.ws(2)]
          const edited = yield* one.edit(mine, one.s0.commit, { "src/a.ts": "A\n", "new/file": "1\n" })
          expect(yield* textFiles(git, mine, edited.tree)).toEqual({ ...base, "src/a.ts": "A\n", "new/file": "1\n" })
          yield* git.fork(its)
          const options = { into: its, base: one.s0.commit, edits: { "src/b.ts": "B\n" }, message: "edit", signature }
          const other = yield* git.commit(options)
          const again = yield* plain.commit(options)
          expect(again).toEqual(other)
          const merges = {
            base: one.s0.commit,
            commits: [
              { from: mine, commit: edited.commit, message: "one" },
              { from: its, commit: other.commit, message: "two" }
            ],
            signature
          }
          const [left, right] = [candidate(one.project, 1), candidate(one.project, 2)]
          yield* plain.fork(left)
          yield* git.fork(right)
          const merged = yield* plain.merge({ ...merges, into: left })
          expect(yield* git.merge({ ...merges, into: right })).toEqual(merged)
          yield* git.advance({ project: one.project, from: left, expected: one.s0.commit, commit: merged.commit })
          expect(yield* plain.main(one.project)).toEqual(merged)

          // As many packs as become one, which git fills with deltas, and then again without git.
          for (const joiner of [git, plain, git]) {
            let main = yield* plain.main(one.project)
            for (let n = 0; n <= Limits.hotPacks; n++) {
              const into = one.ws(3)
              const step = { message: `${n}`, signature }
              yield* plain.fork(into)
              const lines = Array.from(
                { length: 200 },
                (_, line) => `line ${line}${line === n ? ` of ${main.commit}` : ""}\n`
              )
              const next = yield* plain.commit({ ...step, into, base: main.commit, edits: { long: lines.join("") } })
              yield* plain.advance({ project: one.project, from: into, expected: main.commit, commit: next.commit })
              yield* plain.remove(into)
              main = next
            }
            const before = yield* plain.files({ project: one.project }, main.tree)
            yield* joiner.compact({ project: one.project })
            const stands = yield* log.since({ project: one.project }, null)
            expect(stands?.packs.map(({ isBase }) => isBase)).toEqual([true])
            for (const reader of [git, plain]) {
              expect(yield* reader.main(one.project)).toEqual(main)
              expect(yield* reader.files({ project: one.project }, main.tree)).toEqual(before)
            }
            // One that has nothing yet reads the base alone.
            const fresh = yield* newcomer
            expect(yield* fresh.files({ project: one.project }, main.tree)).toEqual(before)
          }
        })
      )
    ))
})
