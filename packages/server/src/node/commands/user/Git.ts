/** The git of this machine, as verbs use it in a working folder. */
import { spawnSync } from "node:child_process"
import { exitCodes, Refused } from "./Refused.ts"

/** A run of git that ended. */
export interface GitEnded {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs git. Refuses where there is none. */
export const git = (args: ReadonlyArray<string>, environment: NodeJS.ProcessEnv = process.env): GitEnded => {
  const ended = spawnSync("git", args, { encoding: "utf8", env: environment, maxBuffer: 64 * 1024 * 1024 })
  if (ended.error !== undefined)
    throw new Refused("no_git", `git cannot be run: ${ended.error.message}. Install it.`, exitCodes.cannotAsk)
  return { code: ended.status ?? 1, stdout: ended.stdout, stderr: ended.stderr }
}

/** A value of git's configuration, here; undefined where there is none, or no git. */
export const gitConfig = (key: string): string | undefined => {
  const { status, stdout } = spawnSync("git", ["config", "--get", key], { encoding: "utf8" })
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : undefined
}

/** The root of the clone that this folder is in; null outside of one. */
export const cloneRoot = (): string | null => {
  const { status, stdout } = spawnSync("git", ["rev-parse", "--show-toplevel"], { encoding: "utf8" })
  return status === 0 ? stdout.trim() : null
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** This very command, as git runs it to ask for a token. */
const credentialHelper = (): string => {
  const main = process.argv[1] ?? "pawl"
  const conditions = process.execArgv.filter((each) => each.startsWith("--conditions"))
  return `!${[process.execPath, ...conditions, main].map(quoted).join(" ")} auth git-credential`
}

/** The settings that let git fetch from and push to an address as who is signed in there. */
export const credentialSettings = (address: string): ReadonlyArray<readonly [key: string, value: string]> => [
  // An empty one forgets those of the machine: none of them is shown the token.
  [`credential.${address}.helper`, ""],
  [`credential.${address}.helper`, credentialHelper()]
]
