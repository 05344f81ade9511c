import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { Repositories } from "@pawl/core/project/Repositories"
import { scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { layer } from "../../src/repositories/GitRepositories.ts"

const root = mkdtempSync(join(tmpdir(), "file-merge-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const lines = (...texts: ReadonlyArray<string>): string => texts.map((text) => `${text}\n`).join("")
const base = lines("1", "2", "3", "4", "5", "6", "7", "8", "9")

describe("The merge of one file by git", () => {
  it("comes to what the merge of whole trees comes to, by another program", () =>
    Effect.gen(function* () {
      const repositories = yield* Repositories
      const { cand, canon, edit, merge, s0, ws } = yield* scene(repositories, undefined, { file: base })
      const sides = [
        [base.replace("1\n", "first\n"), base.replace("9\n", "last\n")],
        [base.replace("2\n", ""), base.replace("8\n", "8\nmore\n")],
        [`top\n${base}`, `${base}end without a newline`],
        [base.replace("5\n", "ours\n"), base.replace("5\n", "theirs\n")]
      ] as const
      for (const [index, [ours, theirs]] of sides.entries()) {
        const one = yield* edit(ws(2 * index), s0.commit, { file: ours })
        const two = yield* edit(ws(2 * index + 1), s0.commit, { file: theirs })
        const merged = yield* Effect.result(
          merge(cand(index), s0.commit, [ws(2 * index), one.commit], [ws(2 * index + 1), two.commit])
        )
        const whole =
          merged._tag === "Failure" ? null : yield* repositories.read(cand(index), merged.success.tree, "file")
        const bytes = (text: string) => new TextEncoder().encode(text)
        const alone = yield* repositories.mergeFile(canon, {
          base: bytes(base),
          ours: bytes(ours),
          theirs: bytes(theirs)
        })
        expect(alone === null ? null : Buffer.from(alone).toString()).toBe(
          whole === null ? null : Buffer.from(whole).toString()
        )
      }
    }).pipe(Effect.provide(layer({ directory: root })), Effect.runPromise))
})
