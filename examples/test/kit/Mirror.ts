/** The example's program as its page says to start it, in a process of its own. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("../../06-github-mirror/main.ts", import.meta.url))

/** `ready` ends when it listens; `ended` when it has ended, with its code. */
export const startMirror = (environment: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program], {
    env: { PATH: process.env["PATH"] ?? "", ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let log = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text))
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => line.startsWith("ready http://") && resolve())
    void ended.then((code) => reject(new Error(`the mirror ended with ${code}: ${log}`)))
  })
  // Whoever waits for its end alone does not mind that it was never ready.
  ready.catch(() => undefined)
  return {
    ready,
    ended,
    log: () => log,
    stop: () => {
      child.kill("SIGTERM")
      return ended
    }
  }
}
