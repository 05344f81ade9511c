/** Sends a response over node:http, at the pace of whoever reads it. */
import { RouterLimits } from "../RouterLimits.ts"
import type { AppResponse } from "@pawl/core/app/AppRuntime"
import type { ServerResponse } from "node:http"
import { pipeline, Readable } from "node:stream"
import { type Body, BytesBody, cancelBody } from "../Body.ts"
import { condemn, headersOf, type Refusal } from "./ConnectionRefusals.ts"

const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      res.off("drain", done)
      res.off("close", done)
      resolve()
    }
    res.on("drain", done)
    res.on("close", done)
  })

/** Any iterable of bytes. When the visitor leaves, the iterator is told at once. */
const pump = async (body: Body, res: ServerResponse): Promise<void> => {
  const iterator = body[Symbol.asyncIterator]()
  const stop = () => void iterator.return?.().catch(() => undefined)
  res.once("close", stop)
  try {
    for (;;) {
      const next = await iterator.next()
      if (next.done === true || res.destroyed) break
      if (!res.write(next.value)) await drained(res)
    }
    res.off("close", stop)
    if (res.destroyed) stop()
    else res.end()
  } catch {
    // The status has been sent: cutting the connection is the only way left to say that the body is not whole.
    res.destroy()
  }
}

const stream = (body: Body, res: ServerResponse): void => {
  const readable = body instanceof Readable ? body : body instanceof ReadableStream ? Readable.fromWeb(body) : null
  if (readable === null) void pump(body, res)
  // Ends the response with the body, destroys either with the other.
  else pipeline(readable, res, () => undefined)
}

/** As node:http takes them: `[name, value, name, value, …]`. */
const flatOf = (headers: AppResponse["headers"]): Array<string> => {
  const flat: Array<string> = []
  for (const [name, value] of headers) flat.push(name, value)
  return flat
}

/** A short body goes out as text behind the head, in one piece: a write of two pieces takes half as long again. */
const sendBytes = (body: BytesBody, res: ServerResponse): void => {
  const { buffer, byteLength, byteOffset } = body.bytes
  if (byteLength > RouterLimits.routerOneWriteBytes) return void res.end(body.bytes)
  res.end((body.text ??= Buffer.from(buffer, byteOffset, byteLength).toString("latin1")), "latin1")
}

/** Sends a response. What cannot be sent as it is becomes a bare 502. */
export const send = (response: AppResponse, res: ServerResponse): void => {
  const { body, headers, status } = response
  if (res.destroyed) return cancelBody(body)
  try {
    res.writeHead(status, flatOf(headers))
  } catch {
    cancelBody(body)
    return refuse(res, unsendable)
  }
  if (body === null) res.end()
  else if (body instanceof BytesBody) sendBytes(body, res)
  else stream(body, res)
}

const unsendable: Refusal = { status: 502, code: "unsendable", reason: "The app's response cannot be sent." }

/** Answers without an app, and closes the connection: what follows on it cannot be trusted. */
export const refuse = (res: ServerResponse, refusal: Refusal): void => {
  condemn(res)
  if (res.headersSent) return void res.destroy()
  res.writeHead(refusal.status, { "content-type": "text/plain; charset=utf-8", ...headersOf(refusal) })
  res.end(`${refusal.reason}\n`)
}
