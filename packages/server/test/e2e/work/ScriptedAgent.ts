/**
 * An agent that speaks the Agent Client Protocol for real, over standard input and output, and does what a script says:
 * its first argument is a file of steps, its second one where it reports what it saw. With `stdio` as its third it speaks
 * no HTTP to tools.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { Readable, Writable } from "node:stream"
import * as acp from "@agentclientprotocol/sdk"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

/** One thing that the agent does. Paths that begin with no slash are of its folder. */
export type Step =
  | { readonly write: string; readonly text: string }
  | { readonly read: string }
  | { readonly ask: acp.ToolKind; readonly path?: string }
  | { readonly tool: string; readonly given?: Readonly<Record<string, unknown>> }
  | { readonly say: string }
  | { readonly end: "refusal" | "max_tokens" }
  | { readonly exit: number }
  | { readonly hang: true }

/** What it saw. */
export interface Report {
  readonly prompt: string
  readonly environment: ReadonlyArray<string>
  /** Whether the token of its Task stood in its environment, or in the command line of any process. */
  readonly tokenSeen: ReadonlyArray<string>
  readonly token: string
  readonly tools: ReadonlyArray<string>
  /** What each step came to: text, or `refused: …`. */
  readonly came: ReadonlyArray<string>
}

const [stepsFile = "", reportFile = "", reaching = "http"] = process.argv.slice(2)
const steps: ReadonlyArray<Step> = JSON.parse(readFileSync(stepsFile, "utf8"))

/** Command lines of all processes that can be seen. */
const commandLines = (): ReadonlyArray<string> =>
  readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      return [readFileSync(`/proc/${pid}/cmdline`, "utf8")]
    } catch {
      return []
    }
  })

/** How it comes to Pawl's tools: over HTTP, or by a program that it starts itself. */
const transportOf = (server: acp.McpServer | undefined) => {
  if (server !== undefined && "type" in server && server.type === "http") {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]))
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } })
    return { transport, token: (headers["Authorization"] ?? "").replace("Bearer ", "") }
  }
  if (server === undefined || !("command" in server)) throw new Error("no MCP server that could be asked")
  const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]))
  return { transport: new StdioClientTransport({ ...server, env }), token: env["PAWL_TOKEN"] ?? "" }
}

const connected = async ([server]: ReadonlyArray<acp.McpServer>) => {
  const { token, transport } = transportOf(server)
  const client = new Client({ name: "scripted", version: "1.0.0" })
  await client.connect(transport)
  return { client, token }
}

interface Session {
  readonly cwd: string
  readonly client: Client
  readonly token: string
}

/** Does a step, and answers what it came to; a stop reason ends the prompt. */
const doStep = async (step: Step, session: Session, sessionId: string, host: acp.AgentContext): Promise<string> => {
  const at = (path: string) => (path.startsWith("/") ? path : `${session.cwd}/${path}`)
  if ("write" in step) {
    await host.request("fs/write_text_file", { sessionId, path: at(step.write), content: step.text })
    return "written"
  }
  if ("read" in step) return (await host.request("fs/read_text_file", { sessionId, path: at(step.read) })).content
  if ("ask" in step) {
    const { outcome } = await host.request("session/request_permission", {
      sessionId,
      toolCall: {
        toolCallId: "one",
        kind: step.ask,
        ...(step.path === undefined ? {} : { locations: [{ path: at(step.path) }] })
      },
      options: [
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" }
      ]
    })
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome
  }
  if ("tool" in step) {
    const answer = await session.client.callTool({ name: step.tool, arguments: { ...step.given } })
    return JSON.stringify(answer.content)
  }
  if ("say" in step) {
    await host.notify("session/update", {
      sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: step.say } }
    })
    return "said"
  }
  if ("exit" in step) process.exit(step.exit)
  return new Promise<string>(() => undefined)
}

const sessions = new Map<string, Session>()
let cancelled: () => void = () => undefined

const prompted = async (
  { prompt, sessionId }: acp.PromptRequest,
  host: acp.AgentContext
): Promise<acp.PromptResponse> => {
  const session = sessions.get(sessionId)
  if (session === undefined) throw acp.RequestError.invalidParams({ sessionId })
  const cancelling = new Promise<"cancelled">((resolve) => (cancelled = () => resolve("cancelled")))
  const came: Array<string> = []
  const { tools } = await session.client.listTools()
  const report = () => {
    const seen: Report = {
      prompt: prompt.map((block) => (block.type === "text" ? block.text : "")).join(""),
      environment: Object.keys(process.env).filter((name) => name.startsWith("PAWL")),
      tokenSeen: [...Object.values(process.env), ...commandLines()].flatMap((text) =>
        text?.includes(session.token) === true ? [text] : []
      ),
      token: session.token,
      tools: tools.map(({ name }) => name),
      came
    }
    writeFileSync(reportFile, JSON.stringify(seen))
  }
  report()
  for (const step of steps) {
    if ("end" in step) return { stopReason: step.end }
    const done = doStep(step, session, sessionId, host).catch((error: unknown) => `refused: ${String(error)}`)
    const outcome = await Promise.race([done, cancelling])
    came.push(outcome)
    report()
    if (outcome === "cancelled") return { stopReason: "cancelled" }
  }
  return { stopReason: "end_turn" }
}

acp
  .agent({ name: "scripted" })
  .onRequest("initialize", ({ params }) => ({
    protocolVersion: params.protocolVersion,
    agentCapabilities: { mcpCapabilities: { http: reaching === "http" } }
  }))
  .onRequest("session/new", async ({ params: { cwd, mcpServers } }) => {
    const sessionId = `session-${sessions.size}`
    sessions.set(sessionId, { cwd, ...(await connected(mcpServers)) })
    return { sessionId }
  })
  .onRequest("session/prompt", ({ client, params }) => prompted(params, client))
  .onNotification("session/cancel", () => cancelled())
  .connect(
    acp.ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
    )
  )
