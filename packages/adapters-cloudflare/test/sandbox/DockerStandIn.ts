/**
 * A stand-in for the engine of containers, with as much of Docker's API as workerd asks for. A container is nothing but a
 * name; what is executed in it runs on this machine. What isolates there is the program of checks itself.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Duplex } from "node:stream"

interface Container {
  readonly name: string
  /** Such as `8080/tcp`. */
  readonly ports: ReadonlyArray<string>
  running: boolean
  readonly waiting: Array<ServerResponse>
  readonly ends: Set<() => void>
}

interface Execution {
  readonly container: Container
  readonly Cmd: ReadonlyArray<string>
  readonly Env: ReadonlyArray<string>
  code: number | null
}

const json = (response: ServerResponse, status: number, body?: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(body === undefined ? "" : JSON.stringify(body))
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const piece of request.setEncoding("utf8")) text += String(piece)
  return text
}

/** Docker's frames: which stream, and how long. */
const frame = (stream: number, bytes: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head[0] = stream
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

/** Runs a command with its streams on a line that was upgraded. */
const run = (execution: Execution, line: Duplex, head: Buffer): void => {
  const [file = "false", ...args] = execution.Cmd
  // Nothing of ours but where programs are: as an image has it.
  const env = Object.fromEntries(
    [`PATH=${process.env["PATH"]}`, ...execution.Env].map((each) => each.split(/=(.*)/s, 2))
  )
  const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "ignore"] })
  const end = () => void child.kill("SIGKILL")
  execution.container.ends.add(end)
  child.stdin.on("error", () => undefined)
  line.on("error", () => undefined)
  if (head.length > 0) child.stdin.write(head)
  line.pipe(child.stdin)
  line.once("close", () => child.stdin.end())
  child.stdout.on("data", (bytes: Buffer) => line.write(frame(1, bytes)))
  child.once("error", () => line.destroy())
  child.once("close", (code) => {
    execution.code = code ?? 137
    execution.container.ends.delete(end)
    line.end()
  })
}

/** An engine on a socket of its own. */
export const dockerStandIn = async () => {
  const folder = mkdtempSync(join(tmpdir(), "engine-"))
  const socket = join(folder, "engine.sock")
  const containers = new Map<string, Container>()
  const executions = new Map<string, Execution>()
  // What lets through what a container sends: told what to let through, it says yes and lets nothing through.
  const sidecar = createServer((_request, response) => json(response, 200, {}))
  sidecar.on("connect", (_request, line: Socket) => line.write("HTTP/1.1 200 OK\r\n\r\n"))
  await new Promise<void>((resolve) => sidecar.listen(0, "127.0.0.1", resolve))
  const port = String((sidecar.address() as AddressInfo).port)

  const stop = (container: Container): void => {
    container.running = false
    for (const end of container.ends) end()
    for (const response of container.waiting.splice(0)) json(response, 200, { StatusCode: 137 })
  }

  const inspected = ({ name, ports, running }: Container) => ({
    Id: name,
    Name: `/${name}`,
    State: { Status: running ? "running" : "created", Running: running, ExitCode: 0, Pid: 1 },
    Config: { Image: "checks", Labels: {}, Env: [] },
    HostConfig: {},
    NetworkSettings: {
      Ports: Object.fromEntries(ports.map((each) => [each, [{ HostIp: "127.0.0.1", HostPort: port }]])),
      Networks: { bridge: { IPAddress: "127.0.0.1" } }
    }
  })

  const ofContainer = (
    request: IncomingMessage,
    response: ServerResponse,
    name: string,
    rest: string,
    body: string
  ) => {
    const container = containers.get(name)
    if (container === undefined) return json(response, 404, { message: "no such container" })
    if (request.method === "DELETE") {
      stop(container)
      containers.delete(name)
      return json(response, 204)
    }
    if (rest === "/json") return json(response, 200, inspected(container))
    if (rest === "/start") {
      container.running = true
      return json(response, 204)
    }
    if (rest.startsWith("/wait")) return void container.waiting.push(response)
    if (rest.startsWith("/kill") || rest.startsWith("/stop")) {
      stop(container)
      return json(response, 204)
    }
    if (rest === "/exec") {
      const { Cmd = [], Env }: { readonly Cmd?: ReadonlyArray<string>; readonly Env?: ReadonlyArray<string> | null } =
        JSON.parse(body)
      const id = `exec-${executions.size}`
      executions.set(id, { container, Cmd, Env: Env ?? [], code: null })
      return json(response, 201, { Id: id })
    }
    return json(response, 200)
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request)
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://engine")
    const path = pathname.replace(/^\/v1\.\d+/, "")
    if (path === "/_ping") return void response.end("OK")
    if (path === "/networks/bridge")
      return json(response, 200, {
        Name: "bridge",
        IPAM: { Config: [{ Subnet: "172.17.0.0/16", Gateway: "127.0.0.1" }] }
      })
    if (path.startsWith("/images/")) return json(response, 200, { Id: "sha256:1", Config: {}, RepoTags: [] })
    if (path.startsWith("/volumes")) return json(response, 200, { Volumes: [] })
    if (path === "/containers/json") return json(response, 200, [])
    if (path === "/containers/create") {
      const name = searchParams.get("name") ?? `container-${containers.size}`
      const asked: { readonly ExposedPorts?: Readonly<Record<string, unknown>> } = JSON.parse(body)
      containers.set(name, {
        name,
        ports: Object.keys(asked.ExposedPorts ?? {}),
        running: false,
        waiting: [],
        ends: new Set()
      })
      return json(response, 201, { Id: name, Warnings: [] })
    }
    const execution = /^\/exec\/([^/]+)\/json$/.exec(path)?.[1]
    if (execution !== undefined) {
      const code = executions.get(execution)?.code ?? null
      return json(response, 200, { ID: execution, Running: code === null, ExitCode: code ?? 0, Pid: 42 })
    }
    const [, name, rest = ""] = /^\/containers\/([^/]+)(\/.*)?$/.exec(path) ?? []
    return name === undefined
      ? json(response, 404, { message: "unknown" })
      : ofContainer(request, response, name, rest, body)
  }
  const engine = createServer((request, response) => void answer(request, response))
  engine.on("upgrade", (request: IncomingMessage, line: Duplex, head: Buffer) => {
    const execution = executions.get(/exec\/([^/]+)\/start/.exec(request.url ?? "")?.[1] ?? "")
    if (execution === undefined) return line.destroy()
    line.write(
      "HTTP/1.1 101 UPGRADED\r\nContent-Type: application/vnd.docker.raw-stream\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
    )
    // The body of the request comes first, and is of no interest.
    const length = Number(request.headers["content-length"] ?? 0)
    let left = length - head.length
    if (left <= 0) return run(execution, line, head.subarray(length))
    const skip = (piece: Buffer): void => {
      left -= piece.length
      if (left > 0) return
      line.off("data", skip)
      line.pause()
      run(execution, line, piece.subarray(piece.length + left))
    }
    line.on("data", skip)
  })
  // A server that closes ends no line that was upgraded, and waits for it.
  const lines = new Set<Socket>()
  engine.on("connection", (line: Socket) => {
    lines.add(line)
    line.once("close", () => lines.delete(line))
  })
  await new Promise<void>((resolve) => engine.listen(socket, resolve))
  return {
    socketPath: `unix:${socket}`,
    /** How many containers run, without those that guard the ways out of others: the simulator leaves them. */
    running: () =>
      Array.from(containers.values()).filter(({ name, running }) => running && !name.endsWith("-proxy")).length,
    /** Ends every container as the engine may at any time. */
    killAll: () => containers.forEach(stop),
    close: async () => {
      containers.forEach(stop)
      for (const line of lines) line.destroy()
      sidecar.closeAllConnections()
      await Promise.all([engine, sidecar].map((server) => new Promise((resolve) => server.close(resolve))))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
