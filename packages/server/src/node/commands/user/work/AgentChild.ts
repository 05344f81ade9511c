/** The process of an agent: with nothing of Pawl's in its environment but what its Task needs, and an end. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { ServerLimits } from "../../../../ServerLimits.ts"
import type { Environment } from "../Hosts.ts"
import type { AgentProgram } from "./Agents.ts"

/** What an agent is started with. */
export interface AgentTask {
  readonly program: AgentProgram
  /** The files that it works on. */
  readonly folder: string
  /** What it is to do, in words. */
  readonly brief: string
  /** Its way to Pawl's tools. */
  readonly mcp: { readonly url: string; readonly token: string; readonly configFile: string }
  readonly taskId: string
  readonly allowsCommands: boolean
  readonly environment: Environment
  /** Ends it early. */
  readonly stop: AbortSignal
  /** Lines of what it says beside its work. */
  readonly tell: (line: string) => void
}

/** How it ended. `text` is what it said last, for Tasks that end in words. */
export type AgentEnd =
  | { readonly _tag: "Done"; readonly text: string }
  | { readonly _tag: "Failed"; readonly reason: string }
  | { readonly _tag: "Stopped" }

/** The person's own token and addresses are not the agent's. */
const environmentOf = ({ environment, mcp, taskId }: AgentTask): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("PAWL_"))),
  PAWL_TASK: taskId,
  PAWL_MCP_URL: mcp.url,
  PAWL_MCP_CONFIG: mcp.configFile
})

/** A process that was started, and its end. */
export interface AgentChild {
  readonly child: ChildProcessWithoutNullStreams
  /** Its exit code, or the signal; or why it could not be started. */
  readonly ended: Promise<{ readonly code: number | null; readonly words: string }>
  /** Ends it and all that it has started. */
  readonly kill: () => void
}

const lines = (stream: NodeJS.ReadableStream, each: (line: string) => void): void => {
  let rest = ""
  stream.setEncoding("utf8")
  stream.on("data", (text: string) => {
    const parts = `${rest}${text}`.split("\n")
    rest = (parts.pop() ?? "").slice(-ServerLimits.workLineLength)
    for (const part of parts) each(part.slice(0, ServerLimits.workLineLength))
  })
  stream.on("end", () => (rest === "" ? undefined : each(rest)))
}

/** Starts an agent in a group of its own: a key that interrupts this command does not reach it unasked. */
export const start = (task: AgentTask): AgentChild => {
  const { args, command, name } = task.program
  const child = spawn(command, args, { cwd: task.folder, env: environmentOf(task), detached: true })
  lines(child.stderr, task.tell)
  // Who leaves early reads no more.
  child.stdin.on("error", () => undefined)
  const kill = () => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, "SIGKILL")
    } catch {
      // It is gone already.
    }
  }
  const ended = new Promise<{ code: number | null; words: string }>((resolve) => {
    child.once("error", ({ message }) => resolve({ code: null, words: `${name} cannot be started: ${message}` }))
    child.once("exit", (code, signal) =>
      resolve({
        code,
        words: code === null ? `${name} was ended by ${signal ?? "something"}` : `${name} exited with ${code}`
      })
    )
  }).finally(kill)
  return { child, ended, kill }
}
