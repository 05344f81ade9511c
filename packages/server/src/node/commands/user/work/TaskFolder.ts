/** The folder of one run: a repository that git is asked from with the Task's token, and beside it the files of the agent. */
import { spawn } from "node:child_process"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { ServerLimits } from "../../../../ServerLimits.ts"
import type { Environment } from "../Hosts.ts"
import { exitCodes, Refused } from "../Refused.ts"

/** What git is asked for a run. */
export interface TaskGit {
  readonly url: string
  readonly ref: string
  readonly token: string
}

/** The files of a run, and what becomes of them. */
export interface TaskFolder {
  /** Where the agent works. */
  readonly source: string
  /** What tells the agent's program of Pawl's tools: readable for its owner alone. */
  readonly configFile: string
  /** Commits what the agent left. Answers its message, or null when nothing differs from what it began with. */
  readonly commit: (message: string) => Promise<string | null>
  readonly push: () => Promise<void>
  readonly remove: () => void
}

/** Where the folders of runs are. */
export const workFolder = (environment: Environment): string =>
  join(environment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "pawl", "work")

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Removes what runs have left whose command was killed. */
export const sweepFolders = (root: string): void => {
  mkdirSync(root, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(root)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? Number.NaN)
    if (Number.isInteger(pid) && pid !== process.pid && !isAlive(pid))
      rmSync(join(root, name), { recursive: true, force: true })
  }
}

/** Settings by the environment: an argument would be seen by everybody on the machine. */
const configured = (settings: ReadonlyArray<readonly [key: string, value: string]>): NodeJS.ProcessEnv => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([key, value], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value]
    ])
  )
})

/** Nothing that an agent may have put into its clone runs here. */
const quiet = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["commit.gpgSign", "false"],
  ["advice.detachedHead", "false"]
] as const

const author = {
  GIT_AUTHOR_NAME: "pawl work",
  GIT_AUTHOR_EMAIL: "agent@pawl.invalid",
  GIT_COMMITTER_NAME: "pawl work",
  GIT_COMMITTER_EMAIL: "agent@pawl.invalid"
}

/** Runs git and answers its output; fails with what it said. The process goes on meanwhile: a lease is renewed. */
const git = (folder: string, args: ReadonlyArray<string>, settings: ReadonlyArray<readonly [string, string]> = []) =>
  new Promise<string>((resolve, reject) => {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(PAWL|GIT)_/.test(name))
    const env = {
      ...Object.fromEntries(inherited),
      ...author,
      ...configured([...quiet, ...settings]),
      GIT_TERMINAL_PROMPT: "0"
    }
    const child = spawn("git", args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.once("error", ({ message }) =>
      reject(new Refused("no_git", `git cannot be run: ${message}. Install it.`, exitCodes.cannotAsk))
    )
    child.once("close", (code) => {
      if (code === 0) return resolve(stdout.trim())
      const said = stderr.trim().slice(-ServerLimits.workTextLength)
      reject(new Refused("git_failed", `git ${args[0] ?? ""} ended with ${code}: ${said}`, exitCodes.no))
    })
  })

const signed = (token: string) =>
  [["http.extraHeader", `Authorization: Basic ${Buffer.from(`pawl:${token}`).toString("base64")}`]] as const

/** Makes the folder of a run, with what its work begins with. The clone of the agent knows neither token nor server. */
export const openFolder = async (root: string, runId: string, asked: TaskGit, config: string): Promise<TaskFolder> => {
  const folder = join(root, `${process.pid}-${runId}`)
  const [own, source, configFile] = [join(folder, "own.git"), join(folder, "source"), join(folder, "mcp.json")]
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(configFile, config, { mode: 0o600 })
  await git(folder, ["init", "-q", "--bare", "own.git"])
  await git(own, ["fetch", "-q", "--", asked.url, `${asked.ref}/base:refs/heads/base`], signed(asked.token))
  await git(folder, ["clone", "-q", "--branch", "base", "--", own, "source"])
  await git(source, ["checkout", "-q", "-b", "task"])
  await git(source, ["remote", "remove", "origin"])
  const base = await git(own, ["rev-parse", "refs/heads/base"])
  return {
    source,
    configFile,
    commit: async (message) => {
      await git(source, ["add", "-A"])
      if ((await git(source, ["status", "--porcelain"])) !== "") await git(source, ["commit", "-q", "-m", message])
      // What the agent has in its own repository is taken as objects: its settings count for nothing here.
      await git(own, ["fetch", "-q", "--", source, "+HEAD:refs/heads/work"])
      const trees = await git(own, ["rev-parse", "refs/heads/base^{tree}", "refs/heads/work^{tree}"])
      const [before, after] = trees.split("\n")
      if (before === after) return null
      return git(own, ["log", "-1", "--format=%B", `${base}..refs/heads/work`])
    },
    push: async () => {
      await git(own, ["push", "-q", "--", asked.url, `refs/heads/work:${asked.ref}`], signed(asked.token))
    },
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}
