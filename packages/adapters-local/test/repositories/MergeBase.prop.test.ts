/** The base of a merge, found by what is known of commits, beside what git says of random histories. */
import { depth, rounds, seed } from "@pawl/testing/Depth"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { execFileSync } from "node:child_process"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import * as GitReaders from "../../src/repositories/GitReaders.ts"
import * as KnownCommits from "../../src/repositories/KnownCommits.ts"
import { mergeBase } from "../../src/repositories/MergeBase.ts"

const root = mkdtempSync(join(tmpdir(), "merge-base-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const git = (gitDir: string, args: ReadonlyArray<string>, input = ""): string =>
  execFileSync("git", [`--git-dir=${gitDir}`, ...args], { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] })

/** Each commit by the commits before it that it is made of, counted back. */
const history = FastCheck.array(
  FastCheck.record({ first: FastCheck.nat(3), second: FastCheck.option(FastCheck.nat(8), { freq: 2 }) }),
  { minLength: 3, maxLength: 24, size: "max" }
)

let count = 0

/** A repository with these commits: their ids, in turn. */
const written = (parents: ReadonlyArray<ReadonlyArray<number>>) => {
  const gitDir = join(root, `${count++}.git`)
  execFileSync("git", ["init", "-q", "--bare", gitDir])
  const text = parents.map(([from, merged], n) =>
    [
      `commit refs/heads/c${n}\nmark :${n + 1}\ncommitter x <x@x> ${1000 + n} +0000\ndata ${`${n}`.length}\n${n}\n`,
      from === undefined ? "" : `from :${from + 1}\n`,
      merged === undefined ? "" : `merge :${merged + 1}\n`,
      `M 100644 inline f${n}\ndata 0\n\n`
    ].join("")
  )
  git(gitDir, ["fast-import", "--quiet"], text.join(""))
  const ids = git(gitDir, ["rev-parse", ...parents.map((_, n) => `c${n}`)])
    .trim()
    .split("\n")
  return { gitDir, ids }
}

/** What git takes for the bases of two commits. */
const bases = (gitDir: string, one: string, other: string): ReadonlyArray<string> => {
  try {
    return git(gitDir, ["merge-base", "--all", one, other]).trim().split("\n")
  } catch {
    return []
  }
}

const found = (gitDir: string, pairs: ReadonlyArray<readonly [ours: string, theirs: string]>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const commits = KnownCommits.make(yield* GitReaders.make)
        return yield* Effect.forEach(pairs, ([ours, theirs]) => mergeBase(commits, gitDir, ours, theirs))
      })
    )
  )

describe("The base of a merge", () => {
  it("that is found without git is the only one that git knows, in random histories", async () => {
    let [told, untold] = [0, 0]
    const property = FastCheck.asyncProperty(history, async (all) => {
      const parents = all.map(({ first, second }, n): ReadonlyArray<number> => {
        if (n === 0) return []
        const from = Math.max(0, n - 1 - first)
        const merged = second === null ? from : Math.max(0, n - 1 - second)
        return merged === from ? [from] : [from, merged]
      })
      const { gitDir, ids } = written(parents)
      const pairs = ids.flatMap((ours, n) =>
        [1, 2, 3, 5].flatMap((back) => {
          const theirs = ids[n - back]
          return theirs === undefined ? [] : [[ours, theirs] as const, [theirs, ours] as const]
        })
      )
      const answers = await found(gitDir, pairs)
      for (const [n, [ours, theirs]] of pairs.entries()) {
        const answer = answers[n] ?? null
        if (answer === null) untold++
        else {
          told++
          expect(bases(gitDir, ours, theirs), `${ours} ${theirs}`).toEqual([answer])
        }
      }
    })
    await FastCheck.assert(property, { numRuns: rounds({ quick: 3, deep: 12, long: 150 }), seed })
    expect(told).toBeGreaterThan(0)
    // Merges of merges are among them, whose base is not plain.
    if (depth !== "quick") expect(untold).toBeGreaterThan(0)
    console.log(`${told} bases found, ${untold} left to git`)
  }, 1_100_000)

  it("is found behind a long canonical line of merges whose Changes began on older and older commits", async () => {
    // 0, then for each n: a Change that began three generations before, and the merge that landed it.
    const parents: Array<ReadonlyArray<number>> = [[]]
    const landed = [0]
    for (let n = 0; n < 60; n++) {
      const before = landed.at(-1) ?? 0
      const change = parents.push([landed.at(-4) ?? 0]) - 1
      landed.push(parents.push([before, change]) - 1)
    }
    const own = parents.push([landed.at(-3) ?? 0]) - 1
    const { gitDir, ids } = written(parents)
    const at = (n: number | undefined) => ids[n ?? 0] ?? ""
    expect(await found(gitDir, [[at(landed.at(-1)), at(own)]])).toEqual([at(landed.at(-3))])
  })

  it("is left to git where either side is not there", async () => {
    const { gitDir, ids } = written([[], [0], [0]])
    const [, one = "", other = ""] = ids
    const gone = "0123456789".repeat(4)
    expect(
      await found(gitDir, [
        [one, other],
        [gone, other],
        [one, gone]
      ])
    ).toEqual([ids[0], null, null])
  })
})
