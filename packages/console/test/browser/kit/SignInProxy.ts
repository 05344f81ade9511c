/**
 * A server with sign-in in front of one that has none yet: it keeps tokens in the cookie, and puts the one that comes
 * from the page into the header that the API reads. All else goes through as it is.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** Where people go, and the code of the printed link, which counts once. */
export interface SignInProxy {
  readonly origin: string
  readonly code: string
  readonly close: () => Promise<void>
}

const cookieName = "__Host-pawl"

const tokenIn = ({ headers }: IncomingMessage): string | null =>
  new RegExp(`(?:^|; )${cookieName}=([^;]+)`).exec(headers.cookie ?? "")?.[1] ?? null

const answer = (res: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}) => {
  const isProblem = status >= 400
  res.writeHead(status, { "content-type": isProblem ? "application/problem+json" : "application/json", ...headers })
  res.end(body === undefined ? undefined : JSON.stringify(body))
}

const refuse = (res: ServerResponse, code: string, detail: string) =>
  answer(res, 401, {
    type: `urn:pawl:problem:${code}`,
    title: "You are not signed in",
    status: 401,
    code,
    detail,
    requestId: "req_proxy"
  })

const cookie = (value: string, rest = ""): Record<string, string> => ({
  "set-cookie": `${cookieName}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict${rest}`
})

const textOf = async (req: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of req) text += String(piece)
  return text
}

/** Starts it before the server on a port; `owner` is whom the code signs in. `also` may answer before all else. */
export const signInProxy = async (
  port: number,
  owner: string,
  also: (req: IncomingMessage, res: ServerResponse) => boolean = () => false
): Promise<SignInProxy> => {
  const codes = new Set(["code-of-the-printed-link"])
  const meOf = (token: string) =>
    fetch(`http://127.0.0.1:${port}/v1/me`, { headers: { authorization: `Bearer ${token}` } })

  const signIn = async (req: IncomingMessage, res: ServerResponse) => {
    const { code, token } = JSON.parse(await textOf(req)) as { readonly code?: string; readonly token?: string }
    if (code !== undefined)
      return codes.delete(code)
        ? answer(res, 204, undefined, cookie(owner))
        : refuse(res, "code_used", "This link was used already, or is older than 10 minutes. Print another one.")
    const isKnown = /^[\w-]+$/.test(token ?? "") && (await meOf(token ?? "")).ok
    return isKnown
      ? answer(res, 204, undefined, cookie(token ?? ""))
      : refuse(res, "unauthenticated", "There is no such token, or it was revoked or has ended.")
  }
  const current = async (req: IncomingMessage, res: ServerResponse) => {
    const token = tokenIn(req)
    const me = token === null ? null : await meOf(token)
    if (me === null || !me.ok) return refuse(res, "unauthenticated", "Sign in first.")
    const { user } = (await me.json()) as { user: { id: string; name: string } }
    answer(res, 200, { session: { id: "ses_1", userId: user.id, how: "token" }, user })
  }
  const pass = (req: IncomingMessage, res: ServerResponse) => {
    const token = tokenIn(req)
    const headers = { ...req.headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
    const { method, url: path } = req
    const on = request({ host: "127.0.0.1", port, method, path, headers }, (from) => {
      res.writeHead(from.statusCode ?? 502, from.headers)
      from.pipe(res)
    })
    on.once("error", () => res.destroy())
    res.once("close", () => on.destroy())
    req.pipe(on)
  }
  const server = createServer((req, res) => {
    if (also(req, res)) return
    const asked = `${req.method} ${req.url}`
    if (asked === "GET /auth/methods") return answer(res, 200, { methods: ["token", "link"] })
    if (asked === "POST /v1/session") return void signIn(req, res)
    if (asked === "GET /v1/session") return void current(req, res)
    if (asked === "DELETE /v1/session") return answer(res, 204, undefined, cookie("", "; Max-Age=0"))
    pass(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    code: "code-of-the-printed-link",
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
