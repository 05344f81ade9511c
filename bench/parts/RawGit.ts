/** git spawned by hand, with the settings and the environment that the adapter gives it. */
import { spawn } from "node:child_process"
import { programOf } from "@pawl/adapters-local/repositories/GitCommand"
import { repositoryPath } from "@pawl/adapters-local/repositories/RepositoryPath"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import { Effect } from "effect"

const signed = {
  GIT_AUTHOR_NAME: "Bench",
  GIT_AUTHOR_EMAIL: "bench@localhost",
  GIT_COMMITTER_NAME: "Bench",
  GIT_COMMITTER_EMAIL: "bench@localhost"
}

const git = (gitDir: string, args: ReadonlyArray<string>, stdin = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    const { args: all, cwd, env, file } = programOf({ gitDir, args, env: signed })
    const child = spawn(file, all, { cwd, env, stdio: "pipe" })
    let output = ""
    let complaint = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text))
    child.once("error", reject)
    // git may end before it has read all; its complaint tells the story.
    child.stdin.on("error", () => undefined)
    child.once("close", (code) => (code === 0 ? resolve(output) : reject(new Error(`git ${args[0]}: ${complaint}`))))
    child.stdin.end(stdin)
  })

export const gitDirOf = (root: string, ref: RepositoryRef): string => Effect.runSync(repositoryPath(root, ref)).gitDir

/** `git merge-tree` and `git commit-tree`, one after the other. */
export const mergeByHand = async (gitDir: string, ours: string, theirs: string, message: string): Promise<string> => {
  const options = ["--write-tree", "-z", "--name-only", "--allow-unrelated-histories"]
  const tree = (await git(gitDir, ["merge-tree", ...options, ours, theirs])).slice(0, 40)
  return (await git(gitDir, ["commit-tree", tree, "-p", ours, "-p", theirs], `${message}\n`)).trim()
}
