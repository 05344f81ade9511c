/** A Candidate as the approver's own clone has it: nothing here is taken from what the API says. */
import { spawnSync } from "node:child_process"
import { Effect } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import { CannotAsk } from "../commands/Remote.ts"
import { refOfCandidate } from "../../git/RefNames.ts"
import { gitSource } from "../proof/GitSource.ts"

/** What a clone says of a Candidate. */
export interface ClonedCandidate {
  /** The Project that the clone is of, by the address of its remote. */
  readonly project: string
  readonly commit: string
  readonly tree: string
  /** SHA-256 of all files (`dirHash`), made from the clone's own objects. */
  readonly source: string
  /** The commit of the clone's own main; what the Candidate is shown against. */
  readonly main: string
  /** `git diff --stat` from main to the Candidate. */
  readonly stat: string
}

const cannot = (reason: string) => new CannotAsk({ reason })

/** Nothing of the repository's settings may run a program, or put another object in the place of one. */
const settings = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=true", "-c", "core.hooksPath=/dev/null"]

const git = (folder: string, args: ReadonlyArray<string>) => {
  const { error, status, stderr, stdout } = spawnSync("git", ["-C", folder, ...settings, ...args], {
    env: { ...process.env, LC_ALL: "C", GIT_NO_REPLACE_OBJECTS: "1" },
    stdio: ["inherit", "pipe", "pipe"],
    maxBuffer: ServerLimits.diffStatBytes
  })
  const said = error === undefined ? stderr.toString().trim() : error.message
  return { isGood: error === undefined && status === 0, out: stdout?.toString().trimEnd() ?? "", said }
}

const answer = Effect.fnUntraced(function* (folder: string, args: ReadonlyArray<string>, otherwise?: string) {
  const { isGood, out, said } = git(folder, args)
  return isGood ? out : yield* cannot(otherwise ?? `git ${args[0] ?? ""}: ${said}`)
})

/** Fetches a Candidate into a clone, with the clone's own credentials, and reads it there. Its main stays where it is. */
export const clonedCandidate = Effect.fnUntraced(function* (folder: string, remote: string, candidateId: string) {
  if (!/^cand_[0-9a-f]{24}$/.test(candidateId)) return yield* cannot(`${candidateId} is no id of a Candidate`)
  const gitDir = yield* answer(folder, ["rev-parse", "--absolute-git-dir"], `${folder} is no clone`)
  const address = yield* answer(folder, ["remote", "get-url", "--", remote], `${folder} has no remote ${remote}`)
  const project = /\/git\/(proj_[0-9a-f-]{36})\.git\/?$/.exec(address)?.[1]
  if (project === undefined) return yield* cannot(`the remote ${remote} of ${folder} is no Project of Pawl`)
  const ref = refOfCandidate(candidateId)
  yield* answer(folder, ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--", remote, `+${ref}:${ref}`])
  const mainRef = `refs/remotes/${remote}/main`
  const main = yield* answer(
    folder,
    ["rev-parse", "--verify", "--quiet", `${mainRef}^{commit}`],
    `${folder} has no ${mainRef}: git fetch ${remote}`
  )
  const commit = yield* answer(folder, ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`])
  yield* answer(
    folder,
    ["merge-base", "--is-ancestor", main, commit],
    `the clone's ${mainRef} is not in the history of ${candidateId}: canonical moved on, or is another one`
  )
  const stat = yield* answer(folder, [
    "diff",
    `--stat=${ServerLimits.diffStatColumns}`,
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    main,
    commit
  ])
  const source = yield* gitSource({ folder: gitDir, main: "refs/heads/main" })
  const [found] = yield* Effect.mapError(source.commits([commit]), ({ message }) => cannot(message))
  if (found == null) return yield* cannot(`${commit} is not in the clone`)
  const dirHash = yield* Effect.mapError(found.dirHash, ({ message }) => cannot(message))
  return { project, commit, tree: found.tree, source: dirHash, main, stat } satisfies ClonedCandidate
}, Effect.scoped)
