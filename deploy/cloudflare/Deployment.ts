/** Lays each script in a folder with its configuration, and has wrangler deploy it from there, one after the other. */
import { spawn } from "node:child_process"
import { cp, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { builtConsole, mainModule, modulesBeside } from "./ScriptCode.ts"
import type { Installation, ScriptName } from "./Scripts.ts"
import { assetsFolder, configurations } from "./Wrangler.ts"

const root = join(import.meta.dirname, "../..")

/** A script that was laid out. */
export interface LaidOut {
  readonly name: ScriptName
  /** Holds `wrangler.json`, `index.js` and the modules beside it. */
  readonly folder: string
  /** Of its main module, in bytes. */
  readonly size: number
  /** Of all its modules, in bytes: what is uploaded, before it is packed. */
  readonly uploaded: number
}

/** Cloudflare packs files for each browser by itself. */
const isPlain = (path: string): boolean => !/\.(br|gz)$/.test(path)

/** Lays all scripts out below a folder. */
export const layOut = async (installation: Installation, folder: string): Promise<ReadonlyArray<LaidOut>> => {
  const laidOut: Array<LaidOut> = []
  for (const { configuration, script } of configurations(installation)) {
    const own = join(folder, script.name)
    await mkdir(own, { recursive: true })
    const code = await mainModule(script)
    await writeFile(join(own, "index.js"), code)
    const beside = await modulesBeside(script)
    for (const { contents, name } of beside) await writeFile(join(own, name), contents)
    const size = Buffer.byteLength(code)
    const uploaded = beside.reduce((sum, { contents }) => sum + Buffer.byteLength(contents), size)
    if (Object.values(script.bindings).some(({ _tag }) => _tag === "Assets"))
      await cp(await builtConsole(), join(own, assetsFolder), { recursive: true, filter: isPlain })
    await writeFile(join(own, "wrangler.json"), `${JSON.stringify(configuration, null, 2)}\n`)
    laidOut.push({ name: script.name, folder: own, size, uploaded })
  }
  return laidOut
}

/** How wrangler ended, and what it said. */
export interface Told {
  readonly code: number | null
  readonly output: string
}

/** Runs wrangler of this workspace in a folder of a script. `input` is what it reads, such as a secret. */
export const wrangler = (
  { folder }: Pick<LaidOut, "folder">,
  args: ReadonlyArray<string>,
  input: string | null = null
): Promise<Told> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, "node_modules/wrangler/bin/wrangler.js"), ...args], {
      cwd: folder,
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
      stdio: ["pipe", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, output }))
    child.stdin.end(input ?? "")
  })
