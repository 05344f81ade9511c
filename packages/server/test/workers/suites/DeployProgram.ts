/** A program of the deployment to Cloudflare, as an operator runs it. */
import { spawn } from "node:child_process"
import { join } from "node:path"

const folder = join(import.meta.dirname, "../../../../../deploy/cloudflare")

/** Runs it to its end, with nothing of this process's environment but the path. */
export const deployProgram = (
  name: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--conditions=pawl-source", join(folder, name), ...args], {
      env: { PATH: process.env["PATH"] ?? "", ...environment },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
  })
