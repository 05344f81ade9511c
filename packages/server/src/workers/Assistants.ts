/** The Model Context Protocol before the script of the API: its tools ask the API as their caller, past no network. */
import { mcpAnswer, mcpCaller } from "../mcp/McpAnswer.ts"
import type { InstallationSettings } from "./Bindings.ts"

const addressHeader = "cf-connecting-ip"

/** Answers a request to `/mcp`, or one that asks who gives tokens for it. Nothing is kept between requests. */
export const assistantAnswer = async (
  request: Request,
  { apiOrigin, oidc, version }: InstallationSettings,
  ask: (question: Request) => Promise<Response>
): Promise<Response> => {
  // Strangers are counted by the address that they come from, whichever door they try.
  const address = request.headers.get(addressHeader)
  const asking = (question: Request): Promise<Response> => {
    if (address !== null) question.headers.set(addressHeader, address)
    return ask(question)
  }
  const issuer = oidc?.issuer ?? null
  const options = { baseUrl: apiOrigin, ask: asking, origin: apiOrigin, version, choice: "all", issuer } as const
  const { headers, method, url } = request
  const head = { method, pathname: new URL(url).pathname, header: (name: string) => headers.get(name) }
  const caller = await mcpCaller(head, options)
  return caller instanceof Response ? caller : mcpAnswer(request, caller, options)
}
