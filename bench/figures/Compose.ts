/** What a Candidate's composition takes over the two git commands that it cannot do without, and on a Candidate ahead. */
import * as GitRepositories from "@pawl/adapters-local/repositories/GitRepositories"
import { candidateFork, type ProjectId, runId, taskId, workspaceFork } from "@pawl/core/primitives/Ids"
import { Repositories } from "@pawl/core/project/Repositories"
import { Effect, ManagedRuntime } from "effect"
import { type Bench, figure, ratioAtMost, valueAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { gitDirOf, mergeByHand } from "../parts/RawGit.ts"
import { across, inTurn, lastly, median, timed } from "../Rounds.ts"

const fileCount = 200
/** Compositions of each side in one round. */
const each = 10

const uuid = (n: number): string => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`
const project: ProjectId = `proj_${uuid(1)}`
const workspace = (n: number) => ({ project, fork: workspaceFork(runId(taskId(`chg_${uuid(n)}`, "edit-1"), 1)) })
const candidate = (n: number) => ({ project, fork: candidateFork(`cand_${n.toString(16).padStart(24, "0")}`) })
const signature = { name: "Bench", email: "bench@localhost", atMs: 1_900_000_000_000 }

const pathOf = (n: number): string => `src/part${n % 20}/file${n}.ts`
const files = Object.fromEntries(
  Array.from({ length: fileCount }, (_, n) => [pathOf(n), `export const value${n} = ${n}\n`.repeat(40)])
)

interface Prepared {
  /** The commit that canonical has moved on to. */
  readonly base: string
  /** The commit of a Candidate on that, which lies in its fork alone. */
  readonly ahead: string
  /** ChangeSets on the commit before, each in a fork of its own. */
  readonly changeSets: ReadonlyArray<string>
}

/** Where the Candidate ahead is. */
const inFront = candidate(1_000_000)

/** A canonical line of two commits, a Candidate on the second, and ChangeSets of one file on the first. */
const prepare = (count: number) =>
  Effect.gen(function* () {
    const repositories = yield* Repositories
    const seed = yield* repositories.seed({ project, files, message: "seed", signature })
    yield* repositories.begin({ project, commit: seed.commit })
    const edit = (n: number, into: ReturnType<typeof candidate>, path: string) =>
      Effect.andThen(
        repositories.fork(into),
        repositories.commit({
          into,
          base: seed.commit,
          edits: { [path]: `export {} // ${n}\n` },
          message: "edit",
          signature
        })
      )
    const next = yield* edit(0, candidate(0), pathOf(0))
    yield* repositories.advance({ project, from: candidate(0), expected: seed.commit, commit: next.commit })
    const changeSets: Array<string> = []
    for (let n = 1; n <= count; n++) {
      const { commit } = yield* edit(n, workspace(n), pathOf(1 + (n % (fileCount - 1))))
      changeSets.push(commit)
    }
    const own = workspace(count + 1)
    const { commit } = yield* edit(count + 1, own, pathOf(0) + ".ahead")
    yield* repositories.fork(inFront)
    const ahead = yield* repositories.merge({
      into: inFront,
      base: next.commit,
      commits: [{ commit, from: own, message: "Merge ahead" }],
      signature
    })
    return { base: next.commit, ahead: ahead.commit, changeSets } satisfies Prepared
  })

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (root) => {
    const runtime = ManagedRuntime.make(GitRepositories.layer({ directory: root }))
    const repositories = await runtime.runPromise(Repositories)
    say("preparing")
    const perSide = (rounds + 1) * each
    const { ahead, base, changeSets } = await runtime.runPromise(prepare(3 * perSide))
    // A third is composed by hand, the next by Pawl, and the last on the Candidate ahead: none finds objects of another.
    const medianOf = async (first: number, one: (n: number) => Promise<unknown>): Promise<number> => {
      const times: Array<number> = []
      for (let n = first; n < first + each; n++) times.push(await timed(() => one(n)))
      return median(times)
    }
    const byHand = (n: number) => mergeByHand(gitDirOf(root, workspace(n)), base, changeSets[n - 1]!, `by hand ${n}`)
    const composeOn = (on: string, from: ReadonlyArray<typeof inFront>) => (n: number) =>
      runtime.runPromise(
        Effect.andThen(
          repositories.fork(candidate(n), "passing"),
          repositories.merge({
            into: candidate(n),
            base: on,
            from,
            commits: [{ commit: changeSets[n - 1]!, from: workspace(n), message: `Merge ${n}` }],
            signature
          })
        )
      )
    const sides = {
      byHand: (round: number) => medianOf(1 + round * each, byHand),
      pawl: (round: number) => medianOf(1 + perSide + round * each, composeOn(base, [])),
      ahead: (round: number) => medianOf(1 + 2 * perSide + round * each, composeOn(ahead, [inFront]))
    }
    const times = await lastly(inTurn<keyof typeof sides, number>(rounds, sides, say), () => runtime.dispose())
    return {
      figures: [
        figure({
          name: "compose-200-files",
          value: across(times.pawl, times.byHand, (ours, floor) => ours - floor),
          unit: "ms over the floor",
          floor: "git merge-tree + commit-tree",
          floorValue: median(times.byHand),
          ratio: across(times.pawl, times.byHand),
          target: valueAtMost(10, "ms")
        }),
        figure({
          name: "compose-ahead",
          value: median(times.ahead),
          unit: "ms",
          floor: "the same on canonical",
          floorValue: median(times.pawl),
          ratio: across(times.ahead, times.pawl),
          target: ratioAtMost(1.2)
        })
      ],
      notes: [`Fork and merge take ${median(times.pawl).toFixed(1)} ms; ${each} compositions of each side in a round.`]
    }
  })
