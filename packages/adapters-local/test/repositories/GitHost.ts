/** Bare repositories over HTTP on loopback: git's own `http-backend` behind a listener that asks for credentials. */
import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface GitHost {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string
  /** The folder of its repositories. */
  readonly root: string
  /** The `Authorization` that it takes; null: whoever asks may read. */
  authorization: string | null
  /** What it answers instead of git: a status with headers. */
  instead: { readonly status: number; readonly headers?: Record<string, string> } | null
  /** What was asked: path, query and the credentials that came along. */
  readonly asked: Array<{ readonly url: string; readonly authorization: string | null }>
  readonly git: (repository: string, args: ReadonlyArray<string>, input?: string) => string
  readonly close: () => Promise<void>
}

const backend = (root: string, request: IncomingMessage, response: ServerResponse): void => {
  const url = new URL(request.url ?? "/", "http://host")
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      HOME: "/nonexistent",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      REMOTE_USER: "pawl",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? "")
    }
  })
  const pieces: Array<Buffer> = []
  child.stdin.on("error", () => undefined)
  request.pipe(child.stdin)
  child.stdout.on("data", (piece: Buffer) => pieces.push(piece))
  child.once("close", () => {
    const whole = Buffer.concat(pieces)
    const end = whole.indexOf("\r\n\r\n")
    const lines = whole.subarray(0, end).toString("latin1").split("\r\n")
    const headers = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const)
    const status = headers.find(([name]) => name === "Status")?.[1] ?? "200"
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== "Status")))
    response.end(whole.subarray(end + 4))
  })
}

/** With an empty repository of each name. */
export const gitHost = async (repositories: ReadonlyArray<string>): Promise<GitHost> => {
  const root = mkdtempSync(join(tmpdir(), "git-host-"))
  const git = (repository: string, args: ReadonlyArray<string>, input = "") =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@x", `--git-dir=${join(root, repository)}`, ...args], {
      input,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"]
    }).trim()
  const host = { root, authorization: "", instead: null, asked: [], git } as unknown as {
    -readonly [K in keyof GitHost]: GitHost[K]
  }
  const server = createServer((request, response) => {
    const authorization = request.headers.authorization ?? null
    host.asked.push({ url: request.url ?? "", authorization })
    if (host.instead !== null) return void response.writeHead(host.instead.status, host.instead.headers).end()
    if (authorization !== host.authorization)
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end()
    backend(root, request, response)
  })
  for (const repository of repositories) {
    execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", join(root, repository)])
    git(repository, ["config", "http.receivepack", "true"])
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  host.origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  host.close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(root, { recursive: true, force: true })
  }
  return host
}

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
