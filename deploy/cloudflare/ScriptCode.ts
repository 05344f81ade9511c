/** The code of a script as one module, and the modules that lie beside it. Nothing is asked of a network. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { consoleFacts } from "@pawl/server/node/console/ConsoleFiles"
import { readTemplate } from "@pawl/server/node/TemplateFolder"
import { build } from "esbuild"
import { minify } from "vite"
import {
  bundlerCode,
  bundlerPackages,
  forWorkers,
  libraryByModule
} from "../../packages/adapters-cloudflare/deploy/Bundler.ts"
import { buildConsole } from "../../tools/build/Console.ts"
import { leftOut } from "./LeftOut.ts"
import { withNamedWords } from "./RepeatedWords.ts"
import { runtimeDigests } from "./RuntimeDigests.ts"
import type { Script } from "./Scripts.ts"
import { withoutUnbound } from "./WithoutUnbound.ts"
import { withoutUnreached } from "./WithoutUnreached.ts"

const root = join(import.meta.dirname, "../..")

const templates = async (): Promise<string> => {
  const names = ["shop", "blank", "react"] as const
  return JSON.stringify(
    Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readTemplate(name)])))
  )
}

/** The folder of the console, built of its sources where it is not. */
export const builtConsole = async (): Promise<string> => {
  await buildConsole(root, () => undefined)
  return join(root, "packages/console/dist")
}

/** A bundle, made as small as it gets. Its names are long until then: what is never named is looked for by them. */
const minified = async (name: string, code: string): Promise<string> => {
  const { code: smaller, errors } = await minify(name, withNamedWords(withoutUnreached(code)), {
    module: true,
    compress: { target: "es2022" },
    mangle: { toplevel: true },
    codegen: { removeWhitespace: true }
  })
  if (errors.length > 0)
    throw new Error(`${name} cannot be made smaller: ${errors.map(({ message }) => message).join()}`)
  return smaller
}

/** What is told while it is bundled to a script that shows the console. Any other would have it in each of its modules. */
const defineOf = async ({ bindings }: Pick<Script, "bindings">): Promise<Record<string, string>> =>
  Object.values(bindings).some(({ _tag }) => _tag === "Assets")
    ? { PAWL_CONSOLE: JSON.stringify(consoleFacts(await builtConsole())) }
    : {}

/** The main module of a script, minified. Rejects with what the bundler says. */
export const mainModule = async (script: Pick<Script, "bindings" | "flags" | "main">): Promise<string> => {
  const { bindings, flags, main } = script
  const { outputFiles } = await build({
    entryPoints: [join(root, "packages/server/src/workers", main)],
    define: await defineOf(script),
    ...forWorkers,
    minify: false,
    minifySyntax: true,
    external: ["cloudflare:*", "node:*", "*.txt", "*.wasm"],
    plugins: [...leftOut, withoutUnbound(bindings), runtimeDigests(flags), libraryByModule]
  })
  return minified(main, outputFiles[0]?.text ?? "")
}

/** The document of the contract, as a server on a machine answers it. */
const openApi = async (): Promise<string> =>
  JSON.stringify((await import("@pawl/server/api/OpenApiDocument")).openApiDocument)

const beside: Readonly<Record<Script["modules"][number], () => Promise<string | Uint8Array>>> = {
  "bundler.txt": bundlerCode,
  "templates.txt": templates,
  "openapi.txt": openApi,
  "packages.txt": async () => bundlerPackages(),
  "esbuild.wasm": () =>
    readFile(
      createRequire(join(root, "packages/adapters-cloudflare/package.json")).resolve("esbuild-wasm/esbuild.wasm")
    )
}

/** A module beside a script: text, or WebAssembly. */
export interface ModuleBeside {
  readonly name: string
  readonly type: "Text" | "CompiledWasm"
  readonly contents: string | Uint8Array
}

/** The modules that lie beside a script. */
export const modulesBeside = ({ modules }: Pick<Script, "modules">): Promise<ReadonlyArray<ModuleBeside>> =>
  Promise.all(
    modules.map(async (name): Promise<ModuleBeside> => ({
      name,
      type: name.endsWith(".wasm") ? "CompiledWasm" : "Text",
      contents: await beside[name]()
    }))
  )
