/**
 * The console at the address of the API: its page wherever a browser goes that is no place of the API, and the files
 * that the page loads below `/console/`. It reads no cookie and knows no caller: what is secret is asked of the API.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { problem } from "../listen/Listener.ts"
import { readOn } from "../listen/ReadOn.ts"
import { type AppHosts, consoleHeaders } from "./ConsoleHeaders.ts"
import { type ConsoleFile, type ConsoleFiles, consoleFiles } from "./ConsoleFiles.ts"

/** Places of the API and of what stands beside it: no screen is there. */
const notScreens = /^\/(v1|auth|git|health|docs|openapi\.json|mcp|metrics|__service|\.well-known)(?:[/?]|$)/

const filePrefix = "/console/"

/** Whether an item of a header's list is there and not refused by `q=0`. */
const names = (header: string | undefined, item: string): boolean =>
  (header ?? "").split(",").some((part) => {
    const [name = "", ...params] = part.split(";").map((each) => each.trim().toLowerCase())
    return name === item && !params.some((each) => /^q=0(\.0*)?$/.test(each))
  })

const notBuilt = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pawl</title>
<h1>The console is not built</h1>
<p>The server runs, and its API answers. Run <code>npm run build</code> in the folder of the sources, or install the package <code>@pawl/console</code>, and load this page again.</p>
</html>
`

const formOf = (
  { brotli, gzip, plain }: ConsoleFile,
  accepted: string | undefined
): readonly [Buffer, string | null] => {
  if (brotli !== null && names(accepted, "br")) return [brotli, "br"]
  return gzip !== null && names(accepted, "gzip") ? [gzip, "gzip"] : [plain, null]
}

const isKnown = (header: string | undefined, digest: string): boolean =>
  header?.split(",").some((each) => each.trim().replace(/^W\//, "") === `"${digest}"`) === true

/** Answers what is the console's, and says whether it was. `folder` is that of the built console, null for none. */
export const make = (
  folder: string | null,
  hosts: AppHosts
): ((req: IncomingMessage, res: ServerResponse) => boolean) => {
  const files = consoleFiles(folder)
  const always = consoleHeaders(hosts)

  const send = (req: IncomingMessage, res: ServerResponse, file: ConsoleFile, caching: string, vary: string): void => {
    const [bytes, coding] = formOf(file, req.headers["accept-encoding"]?.toString())
    // Weak: one for all forms.
    const headers = { ...always, "cache-control": caching, etag: `W/"${file.digest}"`, vary }
    if (isKnown(req.headers["if-none-match"], file.digest)) return void res.writeHead(304, headers).end()
    res.writeHead(200, {
      ...headers,
      "content-type": file.type,
      "content-length": bytes.length,
      ...(coding === null ? {} : { "content-encoding": coding })
    })
    res.end(req.method === "HEAD" ? undefined : bytes)
  }

  const sendNotBuilt = (req: IncomingMessage, res: ServerResponse): void => {
    const headers = { ...always, "cache-control": "no-store", "content-type": "text/html; charset=utf-8" }
    res.writeHead(503, headers)
    res.end(req.method === "HEAD" ? undefined : notBuilt)
  }

  const sendNamed = (req: IncomingMessage, res: ServerResponse, found: ConsoleFiles | null, path: string): void => {
    const file = found?.named(path.slice(filePrefix.length)) ?? null
    if (file !== null) return send(req, res, file, "public, max-age=31536000, immutable", "accept-encoding")
    problem(res, 404, "not_found", "The console has no such file. Load the page again.", always)
  }

  return (req, res) => {
    const { method, url = "/" } = req
    if (method !== "GET" && method !== "HEAD") return false
    const [path = "/"] = url.split("?", 1)
    const isFile = path.startsWith(filePrefix)
    if (!isFile && (notScreens.test(url) || !names(req.headers.accept, "text/html"))) return false
    readOn(req, res)
    const found = files()
    if (isFile) sendNamed(req, res, found, path)
    else if (found === null) sendNotBuilt(req, res)
    else send(req, res, found.page, "no-cache", "accept, accept-encoding")
    return true
  }
}
