/** This machine, for tests inside workerd: answers by the path what `MachineProgram` prints, and esbuild's wasm. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { Response } from "miniflare"

/** What the program prints may be as long as all examples. */
const maxBuffer = 64 * 1024 * 1024
const program = join(import.meta.dirname, "MachineProgram.ts")

const printed = async (what: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=pawl-source", program, what], {
    maxBuffer
  })
  return stdout
}

/** A service that a test's Worker may be bound to. Nothing runs before it is asked. */
export const machine = async ({ url }: { readonly url: string }): Promise<Response> => {
  const path = new URL(url).pathname.slice(1)
  return path === "wasm"
    ? new Response(await readFile(createRequire(import.meta.url).resolve("esbuild-wasm/esbuild.wasm")))
    : new Response(await printed(path))
}
