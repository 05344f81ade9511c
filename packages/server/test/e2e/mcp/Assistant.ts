/** An assistant: a client of the Model Context Protocol, as hosts have them. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect } from "vitest"
import { token as ownerToken } from "../kit/ServerProcess.ts"

/** What the tests read of the answers of tools; each answer has some of it. */
export interface Structured {
  readonly projects: ReadonlyArray<{ readonly id: string }>
  readonly canonical: { readonly generation: number }
  readonly change: { readonly id: string }
  readonly changes: ReadonlyArray<{ readonly id: string; readonly createdBy: { readonly id: string } }>
  readonly openChanges: ReadonlyArray<{ readonly id: string }>
  readonly nextCursor: string | null
  readonly changeset: { readonly id: string; readonly files: number }
  readonly candidate: { readonly id: string }
  readonly evidence: ReadonlyArray<{ readonly checkId: string; readonly result: string }>
  readonly checks: ReadonlyArray<{ readonly checkId: string }>
  readonly generations: ReadonlyArray<{ readonly tree: string }>
  readonly diff: string
  readonly text: string
  readonly next: string
  readonly nextOffset: number | null
  readonly status: string
  readonly untrusted?: ReadonlyArray<string>
}

/** What a tool answered. */
export interface ToolSaid {
  readonly isError: boolean
  readonly text: string
  readonly structured: Structured
}

export interface Assistant {
  readonly client: Client
  readonly call: (name: string, given?: Record<string, unknown>) => Promise<ToolSaid>
}

/** How tools are called, whatever client does it. */
export const calling =
  (callTool: (asked: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>) =>
  async (name: string, given: Record<string, unknown> = {}): Promise<ToolSaid> => {
    const answer = (await callTool({ name, arguments: given })) as {
      readonly isError?: boolean
      readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string }>
      readonly structuredContent?: Structured
    }
    expect(answer.content.every(({ type }) => type === "text")).toBe(true)
    return {
      isError: answer.isError === true,
      text: answer.content.map(({ text = "" }) => text).join("\n"),
      structured: answer.structuredContent ?? ({} as Structured)
    }
  }

/** Connects to `/mcp` of a server. */
export const assistantAt = async (
  origin: string,
  { mode = "auto", token = ownerToken }: { readonly token?: string; readonly mode?: "auto" | "legacy" } = {}
): Promise<Assistant> => {
  const client = new Client({ name: "assistant", version: "1.0.0" }, { versionNegotiation: { mode } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } }
    })
  )
  return { client, call: calling((asked) => client.callTool(asked)) }
}
