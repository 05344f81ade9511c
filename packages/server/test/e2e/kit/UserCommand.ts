/** A verb in a process of its own, as somebody with a home and a folder of their own; with or without a terminal. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { compiled, main } from "./CompiledPrograms.ts"
import { compileCache } from "./ServerProcess.ts"

export interface UserEnded {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Doing {
  readonly input?: string
  readonly folder?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Called with what was said so far, each time that something is. */
  readonly onOutput?: (all: string, child: ChildProcess) => void
  /** At a terminal, the file that standard error goes to; without it the terminal shows both. */
  readonly errorsTo?: string
  /** Called with the process once it is there. */
  readonly onStart?: (child: ChildProcess) => void
}

/** Types an answer when it is asked for, once. */
export const typing = (answer: string, question: string): Required<Pick<Doing, "onOutput">> => {
  let answered = false
  return {
    onOutput: (all, child) => {
      if (answered || !all.includes(question)) return
      answered = true
      child.stdin?.write(answer)
    }
  }
}

/** Types nothing, at a terminal that stays. */
export const watching: Required<Pick<Doing, "onOutput">> = { onOutput: () => undefined }

export interface UserCommand {
  readonly folder: string
  readonly run: (args: ReadonlyArray<string>, doing?: Doing) => Promise<UserEnded>
  /** The same in a terminal of its own: all that is said there is `stdout`. */
  readonly atTerminal: (args: ReadonlyArray<string>, doing?: Doing) => Promise<UserEnded>
}

const ended = (command: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv, cwd: string, doing: Doing) =>
  new Promise<UserEnded>((resolve, reject) => {
    const child = spawn(command, args, { env, cwd })
    doing.onStart?.(child)
    let [stdout, stderr] = ["", ""]
    const said = () => doing.onOutput?.(stdout + stderr, child)
    child.once("error", reject)
    child.stdout.setEncoding("utf8").on("data", (text: string) => ((stdout += text), said()))
    child.stderr.setEncoding("utf8").on("data", (text: string) => ((stderr += text), said()))
    child.stdin.on("error", () => undefined)
    // Whoever answers what is asked keeps it open.
    if (doing.onOutput === undefined) child.stdin.end(doing.input ?? "")
    child.once("close", (code) => {
      child.stdin.destroy()
      resolve({ code, stdout, stderr })
    })
  })

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const userCommand = (home: string): UserCommand => {
  const folder = join(home, "work")
  mkdirSync(folder, { recursive: true })
  const environmentOf = ({ environment }: Doing) => ({
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    TERM: "xterm",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Someone",
    GIT_AUTHOR_EMAIL: "someone@example.org",
    GIT_COMMITTER_NAME: "Someone",
    GIT_COMMITTER_EMAIL: "someone@example.org",
    ...compileCache,
    ...environment
  })
  const commandOf = async (args: ReadonlyArray<string>) => [
    process.execPath,
    "--conditions=pawl-source",
    await compiled(main),
    ...args
  ]
  return {
    folder,
    run: async (args, doing = {}) => {
      const [command = "", ...rest] = await commandOf(args)
      return ended(command, rest, environmentOf(doing), doing.folder ?? folder, doing)
    },
    atTerminal: async (args, doing = {}) => {
      const command = (await commandOf(args)).map(quoted).join(" ")
      const line = doing.errorsTo === undefined ? command : `${command} 2>${quoted(doing.errorsTo)}`
      return ended("script", ["-qec", line, "/dev/null"], environmentOf(doing), doing.folder ?? folder, doing)
    }
  }
}
