/** A `pawl` command in a process of its own. */
import { spawn } from "node:child_process"
import { compiled, main } from "./CompiledPrograms.ts"
import { compileCache } from "./ServerProcess.ts"

export interface Ended {
  readonly code: number | null
  /** Standard output and standard error. */
  readonly output: string
}

export const pawl = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  input = ""
): Promise<Ended> => {
  const file = await compiled(main)
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--conditions=pawl-source", file, ...args], {
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...compileCache, ...environment }
    })
    child.stdin.on("error", () => undefined).end(input)
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.once("close", (code) => resolve({ code, output }))
  })
}
