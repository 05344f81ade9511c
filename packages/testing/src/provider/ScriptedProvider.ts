/**
 * A provider of models that does what a script says: a real HTTP server on loopback that speaks both wire forms, with
 * faults by script. It counts what it charged, also for whoever was dead before the answer came.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Asked, Says, Script, ScriptedUsage, Turn } from "./Script.ts"
import { type Form, formOf, usual } from "./Wire.ts"

/** A provider that runs. */
export interface ScriptedProvider {
  /** Without the path of a call: `http://127.0.0.1:<port>/v1`. */
  readonly url: string
  /** Every request so far, first to last. */
  readonly asked: () => ReadonlyArray<Asked>
  /** The tokens of all answers that it began to send, or would have sent. */
  readonly charged: () => ReadonlyArray<ScriptedUsage>
  /** What it does with later requests. */
  readonly follow: (script: Script) => void
  /** Ends it, and every request that waits. */
  readonly close: () => Promise<void>
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8")
}

const bodyOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_scripted" })
  response.end(JSON.stringify(body))
}

const perform = (response: ServerResponse, turn: Turn, form: Form, model: string): void => {
  switch (turn._tag) {
    case "Says":
      return json(response, 200, form.say(turn, model))
    case "Responds":
      response.writeHead(turn.status, { "content-type": "application/json", ...turn.headers })
      return void response.end(turn.body ?? JSON.stringify({ error: { message: `scripted ${turn.status}` } }))
    case "Cuts": {
      const whole = JSON.stringify(form.say({ _tag: "Says", text: "cut" }, model))
      response.writeHead(200, { "content-type": "application/json", "content-length": String(whole.length) })
      return void response.write(whole.slice(0, 20), () => response.destroy())
    }
    case "Silent":
      return
  }
}

const costs = (turn: Turn): turn is Says | Extract<Turn, { _tag: "Cuts" }> =>
  turn._tag === "Says" || turn._tag === "Cuts"

/** Begins to listen on loopback: on a free port, or where one that was closed had listened. */
export const open = async (
  script: Script,
  { host, port }: { readonly host: string; readonly port: number } = { host: "127.0.0.1", port: 0 }
): Promise<ScriptedProvider> => {
  const asked: Array<Asked> = []
  const charged: Array<ScriptedUsage> = []
  let current = script

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await textOf(request)
    const form = formOf(new URL(request.url ?? "/", "http://provider").pathname)
    if (form === null || request.method !== "POST") return json(response, 404, { error: { message: "no such call" } })
    const body = bodyOf(text)
    const key = request.headers["idempotency-key"]
    const one: Asked = {
      at: asked.length,
      dialect: form.dialect,
      callId: typeof key === "string" ? key : null,
      model: String(body["model"]),
      ...form.read(body),
      headers: request.headers,
      body,
      text
    }
    asked.push(one)
    const turn = await current(one)
    if (costs(turn)) charged.push(turn._tag === "Says" ? (turn.usage ?? usual) : usual)
    perform(response, turn, form, one.model)
  }

  // A connection that it ended just when a caller used it again would be a call that is lost, and no script asked for it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => void server.listen(port, host, listening))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/v1`,
    asked: () => asked,
    charged: () => charged,
    follow: (next) => {
      current = next
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
}
