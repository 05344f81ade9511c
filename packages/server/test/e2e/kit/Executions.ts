/** Which programs a process and all that it starts try to execute, as the kernel sees it. */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename, dirname } from "node:path"

/** Why it cannot be watched here; null when it can. */
export const straceMissing: string | null = (() => {
  try {
    execFileSync("strace", ["-f", "-qq", "-e", "trace=execve", "-o", "/dev/null", "true"], { stdio: "pipe" })
    return null
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ENOENT" ? "needs strace" : "needs ptrace"
  }
})()

/** What watches a command line that follows it. The command keeps its own process id. */
export const watched = (file: string): ReadonlyArray<string> => [
  "strace",
  "-D",
  "-f",
  "-qq",
  "--seccomp-bpf",
  "-s",
  "4096",
  "-e",
  "trace=execve,execveat",
  "-o",
  file
]

/** The files that were to be executed after the first line that says `since`, whether or not they were there. */
export const executions = (file: string, since: string): ReadonlyArray<string> => {
  const lines = readFileSync(file, "utf8").split("\n")
  const first = lines.findIndex((line) => line.includes(since))
  if (first < 0) throw new Error(`nothing was executed for ${since}`)
  return lines.slice(first).flatMap((line) => {
    const path = /\bexecve(?:at)?\((?:[A-Z_0-9]+, )?"((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
    return path === undefined ? [] : [path]
  })
}

const gitFolders = (): ReadonlySet<string> =>
  new Set([
    ...(process.env["PATH"] ?? "").split(":"),
    execFileSync("git", ["--exec-path"], { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "" } }).trim()
  ])

/** Those that are not git's own binary, where this machine has it. */
export const foreign = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = gitFolders()
  return paths.filter((path) => basename(path) !== "git" || !folders.has(dirname(path)))
}
