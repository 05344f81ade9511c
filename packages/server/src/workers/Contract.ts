/**
 * The contract before the script of the API: its document was made when the scripts were laid out, and lies beside this one
 * as a text. Anybody may read it, as they may the console's files.
 */
import { Effect } from "effect"
import { answerHeaders } from "../http/answer/AnswerHeaders.ts"
import { requestIdFor } from "@pawl/core/primitives/RequestId"
import document from "./openapi.txt"

const page = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8" /><meta name="viewport" content="width=device-width, initial-scale=1" /><title>Pawl Documentation</title></head>
<body><p>The contract of this API: <a href="/openapi.json">/openapi.json</a></p></body>
</html>`

const answers: ReadonlyMap<string, { readonly type: string; readonly body: string }> = new Map([
  ["/openapi.json", { type: "application/json", body: document }],
  ["/docs", { type: "text/html; charset=utf-8", body: page }]
])

/** Answers who reads the document or its page. */
export const contractAnswer = ({ headers: given, method, url }: Request): Response => {
  const { pathname } = new URL(url)
  const found = answers.get(pathname)
  const requestId = Effect.runSync(requestIdFor(given.get("x-request-id")))
  const headers = answerHeaders(requestId, pathname, false)
  if (found === undefined) return new Response(null, { status: 404, headers })
  return new Response(method === "HEAD" ? null : found.body, {
    headers: { ...headers, "content-type": found.type }
  })
}
