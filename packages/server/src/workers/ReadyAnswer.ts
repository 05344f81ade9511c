/** `GET /health/ready` before the script of the API: the directory says it, and one that does not answer is what is missing. */
import { Effect } from "effect"
import { answerHeaders } from "../http/answer/AnswerHeaders.ts"
import type { ReadyState } from "../http/Readiness.ts"
import { requestIdFor } from "@pawl/core/primitives/RequestId"
import { ServerLimits } from "../ServerLimits.ts"
import type { CanonicalForApi } from "./Bindings.ts"
import { sentTo } from "./Places.ts"

const path = "/health/ready"

/** Whether a request asks for it. */
export const asksReady = (method: string, pathname: string): boolean => method === "GET" && pathname === path

const away: ReadyState = { status: "not_ready", missing: ["directory"] }

/** Null for a directory that is silent, cannot be reached, or has no words for how it is. */
const said = async (request: Request, canonical: Pick<CanonicalForApi, "fetch">): Promise<Response | null> => {
  const { promise: silence, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, ServerLimits.readyAskMs, null)
  const answer = await Promise.race([canonical.fetch(sentTo(null, request)), silence]).catch(() => null)
  clearTimeout(timer)
  return answer !== null && [200, 503].includes(answer.status) ? answer : null
}

/** Answers who asks whether the installation can work. */
export const readyAnswer = async (request: Request, canonical: Pick<CanonicalForApi, "fetch">): Promise<Response> => {
  const answer = await said(request, canonical)
  if (answer !== null) return answer
  const requestId = Effect.runSync(requestIdFor(request.headers.get("x-request-id")))
  return Response.json(away, { status: 503, headers: answerHeaders(requestId, path, false) })
}
