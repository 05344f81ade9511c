/** A real server in a process of its own, on a folder of its own, spoken to over HTTP. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Unexpected } from "../../../src/node/demo/DemoApi.ts"
import * as DemoApi from "../../../src/node/demo/DemoApi.ts"
import { compiled, main } from "./CompiledPrograms.ts"

export const token = "pawl_test-owner-token-0123456789"

/** Programs that tests start: what one has compiled, the next need not. */
export const compileCache = { NODE_COMPILE_CACHE: join(tmpdir(), "pawl-tests-compiled") }

export interface ServerProcess {
  readonly port: number
  readonly origin: string
  readonly api: DemoApi.DemoApi
  readonly child: ChildProcess
  /** Lines of standard output so far. */
  readonly output: ReadonlyArray<string>
  /** Standard error so far: the log. */
  readonly log: () => string
  /** Resolves with the exit code, or the signal. */
  readonly ended: Promise<number | string>
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | string>
}

export const temporaryFolder = (): { readonly path: string; readonly remove: () => void } => {
  const path = mkdtempSync(join(tmpdir(), "pawl-test-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export interface StartOptions {
  readonly data: string
  readonly environment?: Readonly<Record<string, string>>
  readonly args?: ReadonlyArray<string>
  /** Let the server make its own owner token. */
  readonly ownToken?: boolean
  /** Another program than `pawl`. */
  readonly program?: string
  /** A command that becomes the server: it gets the server's own command line as its last arguments. */
  readonly wrap?: ReadonlyArray<string>
}

/** Spawns a server and waits for its `ready` line; rejects with its log when it ends before. */
export const startServer = async (options: StartOptions): Promise<ServerProcess> => {
  const file = await compiled(options.program ?? main)
  const program = options.program === undefined ? [file, "serve", ...(options.args ?? [])] : [file]
  const node = [process.execPath, "--conditions=pawl-source", "--disable-warning=ExperimentalWarning", ...program]
  const [command = process.execPath, ...args] = [...(options.wrap ?? []), ...node]
  const child = spawn(command, args, {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      ...compileCache,
      PAWL_PORT: "0",
      PAWL_DATA: options.data,
      ...(options.ownToken === true ? {} : { PAWL_OWNER_TOKEN: token }),
      PAWL_SMOKE_RETRY_MS: "200",
      PAWL_API_RATE_PER_MINUTE: "1000000",
      ...options.environment
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const output: Array<string> = []
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text))
  const ended = new Promise<number | string>((resolve) =>
    child.once("close", (code, signal) => resolve(code ?? signal ?? "gone"))
  )
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      output.push(line)
      const ready = /^ready http:\/\/127\.0\.0\.1:(\d+)$/.exec(line)
      if (ready !== null) resolve(Number(ready[1]))
    })
    void ended.then((code) =>
      reject(new Unexpected(`the server ended with ${code} before it was ready\n${output.join("\n")}\n${log}`))
    )
  })
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    api: DemoApi.make({ host: "127.0.0.1", port }, token),
    child,
    output,
    log: () => log,
    ended,
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return ended
    }
  }
}
