/** The real git client, with a home of its own, against a real server. */
import { spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

export interface GitRun {
  readonly code: number | null
  /** Standard output, trimmed. */
  readonly stdout: string
  /** Standard output and standard error. */
  readonly output: string
}

export interface GitClient {
  /** Runs git in a folder below this client's own. */
  readonly run: (folder: string, args: ReadonlyArray<string>, input?: string | Uint8Array) => Promise<GitRun>
  /** Runs git that must end well, and answers its standard output. */
  readonly git: (folder: string, ...args: ReadonlyArray<string>) => Promise<string>
  /** Clones into a folder. */
  readonly clone: (url: string, folder: string, ...args: ReadonlyArray<string>) => Promise<GitRun>
  /** Writes files (null deletes), commits them all, and answers the commit's id. */
  readonly commit: (
    folder: string,
    files: Readonly<Record<string, string | Uint8Array | null>>,
    message?: string
  ) => Promise<string>
  readonly path: (folder: string) => string
}

export const gitClient = (home: string): GitClient => {
  mkdirSync(home, { recursive: true })
  const path = (folder: string) => join(home, folder)
  const run: GitClient["run"] = (folder, args, input = "") =>
    new Promise((resolve, reject) => {
      const child = spawn("git", [...args], {
        cwd: path(folder),
        env: {
          PATH: process.env["PATH"] ?? "",
          HOME: home,
          LC_ALL: "C.UTF-8",
          GIT_CONFIG_NOSYSTEM: "1",
          GIT_TERMINAL_PROMPT: "0",
          GIT_AUTHOR_NAME: "Someone",
          GIT_AUTHOR_EMAIL: "someone@example.org",
          GIT_COMMITTER_NAME: "Someone",
          GIT_COMMITTER_EMAIL: "someone@example.org"
        }
      })
      let [stdout, output] = ["", ""]
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text
        output += text
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))
      child.once("error", reject)
      child.stdin.on("error", () => undefined)
      child.stdin.end(input)
      child.once("close", (code) => resolve({ code, stdout: stdout.trim(), output }))
    })
  const git: GitClient["git"] = async (folder, ...args) => {
    const { code, output, stdout } = await run(folder, args)
    if (code !== 0) throw new Error(`git ${args.join(" ")} ended with ${code}: ${output}`)
    return stdout
  }
  return {
    path,
    run,
    git,
    clone: (url, folder, ...args) => run(".", ["clone", "-q", ...args, url, folder]),
    commit: async (folder, files, message = "An edit") => {
      for (const [name, content] of Object.entries(files)) {
        if (content === null) {
          await git(folder, "rm", "-q", name)
          continue
        }
        const file = join(path(folder), name)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, content)
      }
      await git(folder, "add", "-A")
      await git(folder, "commit", "-q", "--allow-empty", "-m", message)
      return git(folder, "rev-parse", "HEAD")
    }
  }
}

/** Where a Project is cloned from, with a token as the password. */
export const gitUrl = (origin: string, projectId: string, token: string): string =>
  `${origin.replace("//", `//anyone:${token}@`)}/git/${projectId}.git`
