/**
 * This machine, for tests inside workerd: answers by the path what `MachineProgram` prints, esbuild's wasm, and registries
 * of packages.
 */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { promisify } from "node:util"
import { Response } from "miniflare"
import * as Registries from "../packages/Registries.ts"

/** What the program prints may be as long as all examples. */
const maxBuffer = 64 * 1024 * 1024
const program = join(import.meta.dirname, "MachineProgram.ts")

const printed = async (what: string, input: string): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=pawl-source", program, what, input], {
    maxBuffer
  })
  return stdout
}

/** What asks for nothing of its own is made once: each object of a test asks for the code of a Worker. */
const known = new Map<string, Promise<string>>()
const printedOnce = (what: string): Promise<string> => {
  const text = known.get(what) ?? printed(what, "")
  known.set(what, text)
  return text
}

const wasm = () => readFile(createRequire(import.meta.url).resolve("esbuild-wasm/esbuild.wasm"))

/** A service that a test's Worker may be bound to. Nothing runs before it is asked. */
export const machine = async (request: {
  readonly url: string
  readonly text: () => Promise<string>
}): Promise<Response> => {
  const [, what = "", ...rest] = new URL(request.url).pathname.split("/")
  const body = await request.text()
  switch (what) {
    case "wasm":
      return new Response(await wasm())
    case "registry":
      return Response.json(await Registries.start(body))
    case "asked":
      return Response.json(await Registries.asked(Number(rest[0])))
    case "stop":
      return Response.json((await Registries.stop(Number(rest[0]))) ?? null)
    default:
      return new Response(await (body === "" ? printedOnce(what) : printed(what, body)))
  }
}
