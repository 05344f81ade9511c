/** The console before a Node server: its files as they lie in a folder. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { consoleAnswer } from "../../http/console/ConsoleAnswer.ts"
import { type AppHosts, consoleHeaders } from "../../http/console/ConsoleHeaders.ts"
import { readOn } from "../listen/ReadOn.ts"
import { type ConsoleFile, consoleFiles } from "./ConsoleFiles.ts"

const formOf = ({ brotli, gzip, plain }: ConsoleFile, coding: "br" | "gzip" | null): Buffer =>
  (coding === "br" ? brotli : coding === "gzip" ? gzip : null) ?? plain

/** Answers what is the console's, and says whether it was. `folder` is that of the built console, null for none. */
export const make = (
  folder: string | null,
  hosts: AppHosts
): ((req: IncomingMessage, res: ServerResponse) => boolean) => {
  const answer = consoleAnswer(consoleFiles(folder), consoleHeaders(hosts))
  return (req, res) => {
    const { headers, method = "GET", url = "/" } = req
    const found = answer({ method, url, header: (name) => headers[name]?.toString() ?? null })
    if (found === null) return false
    readOn(req, res)
    const { body, headers: told, status } = found
    const bytes = body === null || typeof body === "string" ? body : formOf(body.file, body.coding)
    const length = Buffer.isBuffer(bytes) ? { "content-length": bytes.length } : {}
    res.writeHead(status, { ...told, ...length })
    res.end(method === "HEAD" ? undefined : (bytes ?? undefined))
    return true
  }
}
