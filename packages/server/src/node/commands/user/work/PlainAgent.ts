/** An agent that is a plain command: it reads its Task on standard input, changes files, and exits with 0. */
import { ServerLimits } from "../../../../ServerLimits.ts"
import { type AgentEnd, type AgentTask, start } from "./AgentChild.ts"

/** Runs it to its end. What it prints is what it says. */
export const runPlain = async (task: AgentTask): Promise<AgentEnd> => {
  const { child, ended, kill } = start(task)
  let text = ""
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text = (text + piece).slice(-ServerLimits.workTextLength)
  })
  task.stop.addEventListener("abort", kill, { once: true })
  if (task.stop.aborted) kill()
  child.stdin.end(task.brief)
  const { code, words } = await ended
  if (task.stop.aborted) return { _tag: "Stopped" }
  return code === 0 ? { _tag: "Done", text: text.trim() } : { _tag: "Failed", reason: words }
}
