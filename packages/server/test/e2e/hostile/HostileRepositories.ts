/** A program: every operation of `GitRepositories`, on repositories that were planted with all that makes git run things. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import * as GitRepositories from "@pawl/adapters-local/repositories/GitRepositories"
import { GitTransport } from "@pawl/adapters-local/repositories/transport/GitTransport"
import { PushReceiver } from "@pawl/adapters-local/repositories/transport/PushReceiver"
import { candidateFork, runId, taskId, workspaceFork } from "@pawl/core/primitives/Ids"
import { Repositories, type RepositoryRef } from "@pawl/core/project/Repositories"
import { Effect } from "effect"
import { configs, hooks, treeFiles } from "./HostileLists.ts"

const [directory = "", payload = ""] = process.argv.slice(2)
const project = "proj_00000000-0000-4000-8000-0000000000aa" as const
const change = "chg_00000000-0000-4000-8000-0000000000aa" as const
const workspace = (key: string) => ({ project, fork: workspaceFork(runId(taskId(change, key), 1)) })
const [one, two] = [workspace("one"), workspace("two")]
const cand = { project, fork: candidateFork("cand_00000000000000000000aaaa") }
const signature = { name: `$(${payload})`, email: `\`${payload}\``, atMs: 0 }
const message = `--exec=${payload}\n\n$(${payload})`

const plant = ({ fork }: RepositoryRef) => {
  const gitDir = join(directory, project.slice(5, 7), project, fork === undefined ? "canon.git" : `forks/${fork}.git`)
  mkdirSync(join(gitDir, "hooks"), { recursive: true })
  mkdirSync(join(gitDir, "info"), { recursive: true })
  for (const hook of hooks) writeFileSync(join(gitDir, "hooks", hook), `#!/bin/sh\n${payload}\n`, { mode: 0o755 })
  writeFileSync(join(gitDir, "info/attributes"), "* diff=evil merge=evil filter=evil\n")
  writeFileSync(
    join(gitDir, "config"),
    configs(payload)
      .map(([section, key, value]) => `[${section}]\n\t${key} = ${JSON.stringify(value)}\n`)
      .join(""),
    { flag: "a" }
  )
}

const program = Effect.gen(function* () {
  const repositories = yield* Repositories
  const transport = yield* GitTransport
  const pushes = yield* PushReceiver
  const s0 = yield* repositories.seed({
    project,
    files: { "a.txt": "1\n2\n3\n", ...treeFiles(payload) },
    message,
    signature
  })
  yield* repositories.begin({ project, commit: s0.commit })
  plant({ project })
  for (const ref of [one, two, cand]) {
    yield* repositories.fork(ref)
    plant(ref)
  }
  const edit = (into: typeof one, files: Record<string, string>) =>
    repositories.commit({ into, base: s0.commit, edits: files, message, signature })
  const first = yield* edit(one, { "a.txt": "one\n2\n3\n", [`--output=${payload}`]: "x" })
  const second = yield* edit(two, { "a.txt": "1\n2\ntwo\n", "-c": "x" })
  const commits = [
    { commit: first.commit, from: one, message },
    { commit: second.commit, from: two, message }
  ]
  const merged = yield* repositories.merge({ into: cand, base: s0.commit, commits, signature })
  yield* repositories.diff(cand, s0.commit, merged.commit)
  yield* repositories.diffText(cand, s0.commit, merged.commit)
  yield* repositories.files(cand, merged.tree)
  yield* repositories.mergeFile(cand, { base: Buffer.from("1"), ours: Buffer.from("1"), theirs: Buffer.from("2") })
  yield* repositories.advance({ project, from: cand, expected: s0.commit, commit: merged.commit })
  yield* repositories.commitTree({ into: cand, tree: s0.tree, parents: [merged.commit], message, signature })
  const into = new PassThrough()
  into.resume()
  const refs = [
    { name: "refs/heads/main", commit: merged.commit, at: { project } },
    { name: "refs/changes/x", commit: first.commit, at: one }
  ]
  const wants = Buffer.from(`0032want ${merged.commit}\n00000009done\n`)
  for (const [request, version] of [
    [null, 2],
    [null, 0],
    [wants, 0]
  ] as const)
    yield* transport.serve({ project, refs, request, version, into, greeting: new Uint8Array() })
  const empty = Buffer.from("5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e", "hex")
  yield* pushes.receive({ project, commit: merged.commit, pack: empty }, (pushed) =>
    pushed.editsFrom(s0.tree, { project })
  )
  console.log(`done ${merged.commit}`)
})

await Effect.runPromise(Effect.provide(program, GitRepositories.layer({ directory })))
