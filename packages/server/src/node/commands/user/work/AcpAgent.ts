/** An agent that speaks the Agent Client Protocol: one session, one prompt, and its end. */
import { Readable, Writable } from "node:stream"
import { setTimeout as pause } from "node:timers/promises"
import type { ClientContext, InitializeResponse, McpServer, StopReason } from "@agentclientprotocol/sdk"
import { ServerLimits } from "../../../../ServerLimits.ts"
import { version } from "../../../Version.ts"
import { acpClient } from "./AcpClient.ts"
import { type AgentEnd, type AgentTask, start } from "./AgentChild.ts"

/** Pawl's tools for the agent: over HTTP where it can, else as `pawl mcp`. The Task's token goes here and nowhere else. */
const mcpServers = ({ agentCapabilities }: InitializeResponse, { url, token }: AgentTask["mcp"]): Array<McpServer> => {
  if (agentCapabilities?.mcpCapabilities?.http === true)
    return [{ type: "http", name: "pawl", url, headers: [{ name: "Authorization", value: `Bearer ${token}` }] }]
  const conditions = process.execArgv.filter((each) => each.startsWith("--conditions"))
  const env = [
    { name: "PAWL_URL", value: new URL(url).origin },
    { name: "PAWL_TOKEN", value: token }
  ]
  return [{ name: "pawl", command: process.execPath, args: [...conditions, process.argv[1] ?? "pawl", "mcp"], env }]
}

const endings: Readonly<Record<Exclude<StopReason, "end_turn">, string>> = {
  refusal: "it refused",
  cancelled: "it stopped",
  max_tokens: "it used up its tokens",
  max_turn_requests: "it used up its turns"
}

const prompted = async (agent: ClientContext, task: AgentTask): Promise<StopReason> => {
  const opened = await agent.request("initialize", {
    protocolVersion: 1,
    clientInfo: { name: "pawl", version },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false }
  })
  const { sessionId } = await agent.request("session/new", {
    cwd: task.folder,
    mcpServers: mcpServers(opened, task.mcp)
  })
  const cancel = () => void agent.notify("session/cancel", { sessionId }).catch(() => undefined)
  task.stop.addEventListener("abort", cancel, { once: true })
  if (task.stop.aborted) cancel()
  const { stopReason } = await agent.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: task.brief }]
  })
  return stopReason
}

/** An agent that is told to stop has a moment for it. */
const overdue = async (stop: AbortSignal): Promise<void> => {
  if (!stop.aborted) await new Promise((resolve) => stop.addEventListener("abort", resolve, { once: true }))
  await pause(ServerLimits.workCancelMs, undefined, { ref: false })
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Drives it to the end of its prompt. */
export const runAcp = async (task: AgentTask): Promise<AgentEnd> => {
  const sdk = await import("@agentclientprotocol/sdk")
  const { child, ended, kill } = start(task)
  let text = ""
  const onText = (piece: string) => void (text = (text + piece).slice(-ServerLimits.workTextLength))
  const client = acpClient(sdk, { folder: task.folder, allowsCommands: task.allowsCommands, onText })
  // The streams of Node are those of the web by another name.
  const stream = sdk.ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
  )
  const asked = client
    .connectWith(stream, (agent) => prompted(agent, task))
    .then(
      (reason): AgentEnd =>
        reason === "end_turn"
          ? { _tag: "Done", text: text.trim() }
          : { _tag: "Failed", reason: `${task.program.name}: ${endings[reason]}` },
      async (error: unknown): Promise<AgentEnd> => {
        // One that died has more to say than that it says nothing any more.
        await Promise.race([ended, pause(ServerLimits.workCancelMs, undefined, { ref: false })])
        return { _tag: "Failed", reason: `${task.program.name}: ${wordsOf(error)}` }
      }
    )
  const died = ended.then(({ words }): AgentEnd => ({ _tag: "Failed", reason: `${words} before its work was done` }))
  const late = overdue(task.stop).then((): AgentEnd => ({ _tag: "Stopped" }))
  const end = await Promise.race([died, asked, late])
  kill()
  await ended
  return task.stop.aborted ? { _tag: "Stopped" } : end
}
