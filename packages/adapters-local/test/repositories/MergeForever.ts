/**
 * Changes, merges and advances the first Project of a folder without end, numbered from `from` on. It says each thing
 * that was made as soon as that was answered: a line of JSON with its place.
 */
import { writeSync } from "node:fs"
import { Repositories, type RepositoryRef } from "@pawl/core/project/Repositories"
import { candidate, projectId, signature, workspace } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { Effect } from "effect"
import { layer } from "../../src/repositories/GitRepositories.ts"

const [directory = "", from = ""] = process.argv.slice(2)
const project = projectId(1)
const message = ""

const say = (ref: RepositoryRef, made: { readonly commit: string; readonly tree: string }): void =>
  void writeSync(1, `${JSON.stringify({ ref, made })}\n`)

const forever = Effect.gen(function* () {
  const repositories = yield* Repositories
  let main = yield* repositories.main(project)
  for (let n = Number(from); ; n++) {
    const [ws, cand] = [workspace(project, n), candidate(project, n)]
    yield* repositories.fork(ws)
    const edits = { count: `${n}\n`, [`f/${n}`]: "x" }
    const made = yield* repositories.commit({ into: ws, base: main.commit, edits, message, signature })
    say(ws, made)
    yield* repositories.fork(cand)
    const commits = [{ commit: made.commit, from: ws, message }]
    const merged = yield* repositories.merge({ into: cand, base: main.commit, commits, signature })
    say(cand, merged)
    yield* repositories.advance({ project, from: cand, expected: main.commit, commit: merged.commit })
    say({ project }, merged)
    main = merged
  }
})

await Effect.runPromise(Effect.provide(forever, layer({ directory })))
