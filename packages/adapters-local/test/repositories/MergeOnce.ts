/** A process that composes in an unsettled fork and then says `answered` on its standard output. Its argument is a folder. */
import { Effect } from "effect"
import { Repositories } from "@pawl/core/project/Repositories"
import { scene } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { layer } from "../../src/repositories/GitRepositories.ts"

const [directory = ""] = process.argv.slice(2)
await Effect.gen(function* () {
  const repositories = yield* Repositories
  const { cand, edit, s0, ws } = yield* scene(repositories)
  const merge = (into: ReturnType<typeof cand>, onto: string, from: ReturnType<typeof ws>, commit: string) =>
    Effect.andThen(
      repositories.fork(into, "passing"),
      repositories.merge({
        into,
        base: onto,
        from: [cand(1)],
        commits: [{ from, commit, message: "merge" }],
        signature: { name: "Pawl", email: "pawl@localhost", atMs: 0 }
      })
    )
  const one = yield* edit(ws(1), s0.commit, { "a/one.txt": "1" })
  const two = yield* edit(ws(2), s0.commit, { "b/two.txt": "2" })
  const ahead = yield* merge(cand(1), s0.commit, ws(1), one.commit)
  yield* merge(cand(2), ahead.commit, ws(2), two.commit)
  process.stdout.write("answered\n")
}).pipe(Effect.provide(layer({ directory })), Effect.runPromise)
