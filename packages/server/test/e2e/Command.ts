/** A `pawl` command in a process of its own. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../src/node/main.ts", import.meta.url))

export interface Ended {
  readonly code: number | null
  /** Standard output and standard error. */
  readonly output: string
}

export const pawl = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ["--conditions=pawl-source", main, ...args], {
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...environment }
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.once("close", (code) => resolve({ code, output }))
  })
