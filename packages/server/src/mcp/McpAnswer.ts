/**
 * `POST /mcp` on any engine: the Model Context Protocol over HTTP. Each request stands for itself, with a token as the API
 * takes it.
 */
import { Limits } from "@pawl/core/primitives/Limits"
import { Effect, Result } from "effect"
import { requestIdFor } from "@pawl/core/primitives/RequestId"
import type { ToolChoice } from "./McpServer.ts"
import { type TaskCaller, taskCallerOf } from "./TaskCaller.ts"
import { makeToolApi, type ToolApiOptions, type ToolRefused } from "./ToolApi.ts"

const path = "/mcp"

/** Where clients read who gives them a token (RFC 9728, section 3.1): the path of the resource comes last. */
const metadataPath = `/.well-known/oauth-protected-resource${path}`

/** What is told of the installation, and how its API is asked. */
export interface McpAnswerOptions extends Pick<ToolApiOptions, "ask" | "baseUrl"> {
  /** Where people reach it. */
  readonly origin: string
  readonly version: string
  readonly choice: ToolChoice
  /** The provider of identities whose tokens count, as those name it; null for none. */
  readonly issuer: string | null
}

/** Whether the path of a request is the protocol's, or asks who gives tokens for it. */
export const isMcp = (pathname: string): boolean => pathname === path || pathname === metadataPath

/** A request before its body is read. */
export interface McpHead {
  readonly method: string
  /** Without its query. */
  readonly pathname: string
  /** The value of a header, by its name in small letters; null where it is missing. */
  readonly header: (name: string) => string | null
}

/** A problem as it is told once the request has its id. */
interface McpProblem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly headers: Readonly<Record<string, string>>
}

const mcpProblem = (
  status: number,
  code: string,
  detail: string,
  headers: Readonly<Record<string, string>> = {}
): McpProblem => ({ status, code, detail, headers })

/** A problem (RFC 9457), as the API writes it: with the id of the request, the caller's own where it has one. */
const problemAnswer = async (head: McpHead, { code, detail, headers, status }: McpProblem): Promise<Response> => {
  const requestId = await Effect.runPromise(requestIdFor(head.header("x-request-id")))
  const problem = {
    type: `urn:pawl:problem:${code}`,
    title: code.replaceAll("_", " "),
    status,
    code,
    detail,
    requestId
  }
  return new Response(JSON.stringify(problem), {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...headers
    }
  })
}

/** What is told of a request that could not be answered. */
export const brokenOff = (head: McpHead): Promise<Response> =>
  problemAnswer(head, mcpProblem(500, "internal", "The request could not be answered."))

/** Who gives tokens for it: what RFC 9728 asks for, to anybody, pages of other origins too. 404 without a provider of identities. */
const metadata = ({ issuer, origin }: McpAnswerOptions, method: string): Response | McpProblem => {
  if (issuer === null)
    return mcpProblem(404, "unknown_path", "Tokens are made here, and by no provider of identities: pawl login.")
  if (method !== "GET" && method !== "HEAD")
    return mcpProblem(405, "unknown_method", "It is only read.", { allow: "GET, HEAD" })
  const body = JSON.stringify({
    resource: `${origin}${path}`,
    resource_name: "Pawl",
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"]
  })
  return new Response(method === "HEAD" ? null : body, {
    headers: {
      "content-type": "application/json",
      "content-length": String(body.length),
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff"
    }
  })
}

/** A page whose own name leads here would be asking as itself: only pages of the host that is asked may. */
const isOfStrangers = ({ header }: McpHead): boolean => {
  const origin = header("origin")
  return origin !== null && !(URL.canParse(origin) && new URL(origin).host === header("host"))
}

const unauthenticated = ({ issuer, origin }: McpAnswerOptions, detail: string): McpProblem => {
  const where = issuer === null ? "" : `, resource_metadata="${origin}${metadataPath}"`
  return mcpProblem(401, "unauthenticated", detail, { "www-authenticate": `Bearer realm="pawl"${where}` })
}

const refused = ({ code, detail, facts }: ToolRefused, options: McpAnswerOptions): McpProblem => {
  if (code === "unauthenticated") return unauthenticated(options, detail)
  const { retryAfterSeconds } = facts
  const isRate = typeof retryAfterSeconds === "number"
  return mcpProblem(isRate ? 429 : 503, code, detail, isRate ? { "retry-after": String(retryAfterSeconds) } : {})
}

/** Who asks: by which token, and of which Task where the token is for one. */
export interface McpCaller {
  readonly authorization: string
  readonly task: TaskCaller | null
}

const callerOf = async (head: McpHead, options: McpAnswerOptions): Promise<McpCaller | Response | McpProblem> => {
  if (head.pathname === metadataPath) return metadata(options, head.method)
  if (isOfStrangers(head)) return mcpProblem(403, "cross_origin", "Pages of other origins may not ask here.")
  const authorization = head.header("authorization")
  if (authorization === null || !/^bearer /i.test(authorization))
    return unauthenticated(options, "Send an API token: Authorization: Bearer <token>.")
  const asked = await Effect.runPromise(Effect.result(taskCallerOf(makeToolApi({ ...options, authorization }))))
  return Result.isSuccess(asked) ? { authorization, task: asked.success } : refused(asked.failure, options)
}

/**
 * Who asks, or the answer that needs no more of the request. Whose token it is, is asked first: clients want a 401 of their
 * own to know that they need one.
 */
export const mcpCaller = async (head: McpHead, options: McpAnswerOptions): Promise<McpCaller | Response> => {
  const found = await callerOf(head, options)
  return "detail" in found ? problemAnswer(head, found) : found
}

/** The answer to one who was let in. The protocol is read when somebody first asks for it. */
export const mcpAnswer = async (
  request: Request,
  { authorization, task }: McpCaller,
  { issuer: _, ...options }: McpAnswerOptions
): Promise<Response> => {
  const { createMcpHandler } = await import("@modelcontextprotocol/server")
  const { makeMcpServer } = await import("./McpServer.ts")
  const handler = createMcpHandler(() => makeMcpServer({ ...options, authorization, task }), {
    maxRequestBodySize: Limits.sourceBodyBytes
  })
  return handler.fetch(request)
}
