/** The code of a script as one module, and the modules that lie beside it. Nothing is asked of a network. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { consoleFacts } from "@pawl/server/node/console/ConsoleFiles"
import { readTemplate } from "@pawl/server/node/TemplateFolder"
import { build, type Plugin } from "esbuild"
import {
  bundlerCode,
  bundlerPackages,
  forWorkers,
  libraryByModule
} from "../../packages/adapters-cloudflare/deploy/Bundler.ts"
import { buildConsole } from "../../tools/build/Console.ts"
import type { Script } from "./Scripts.ts"

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

/** What shows the contract as a page is half of a script's size: here the page names the contract itself. */
const withoutSwagger: Plugin = {
  name: "without-swagger",
  setup: (each) => {
    each.onLoad({ filter: /httpApiSwagger\.js$/ }, () => ({
      loader: "js",
      contents: `export const css = ""
export const javascript = "window.SwaggerUIBundle = () => { document.body.innerHTML = '<p>The contract of this API: <a href=\\"/openapi.json\\">/openapi.json</a></p>' }"`
    }))
  }
}

/**
 * What the library has for what no script does: a table of types for files that it sends from a disk, and a parser of forms,
 * which every part of the API refuses before (`JsonRequest`).
 */
const withoutFilesAndForms: Plugin = {
  name: "without-files-and-forms",
  setup: (each) => {
    each.onLoad({ filter: /http\/internal\/mimeTypes\.js$/ }, () => ({ loader: "js", contents: "export default {}" }))
    each.onLoad({ filter: /http\/MultipartParser\.js$/ }, () => ({
      loader: "js",
      contents: `const refused = () => { throw new Error("forms are not taken") }
export { refused as make, refused as defaultIsFile, refused as decodeField }`
    }))
  }
}

/** The main module of a script, minified. Rejects with what the bundler says. */
export const mainModule = async ({ main }: Pick<Script, "main">): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [join(root, "packages/server/src/workers", main)],
    define: {
      PAWL_CONSOLE: JSON.stringify(consoleFacts(await builtConsole()))
    },
    ...forWorkers,
    external: ["cloudflare:*", "node:*", "*.txt", "*.wasm"],
    plugins: [withoutSwagger, withoutFilesAndForms, libraryByModule]
  })
  return outputFiles[0]?.text ?? ""
}

const beside: Readonly<Record<Script["modules"][number], () => Promise<string | Uint8Array>>> = {
  "bundler.txt": bundlerCode,
  "templates.txt": templates,
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
