/** The packages as they are published: built where their sources changed, and started from `dist`. */
import { execFile, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const from = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The `pawl` command of the built package. */
export const command = from("../../packages/server/dist/node/main.js")

/** Builds what changed, the console too; half a minute the first time, else a second or few. */
export const build = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [from("../../tools/build/main.ts")], { maxBuffer: 64 * 1024 * 1024 })
}

/** Milliseconds that a run of Node takes from its spawn to its end. Throws with its words when it does not end with 0. */
export const timeOf = (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<number> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said += text))
    child.once("error", reject)
    child.once("close", (code) => {
      const ms = performance.now() - began
      if (code === 0) resolve(ms)
      else reject(new Error(`${args.join(" ")} ended with ${code}: ${said}`))
    })
  })
