/**
 * Makes what the Worker of a build, and that which unpacks packages, is loaded from: its code as one module, and the packages
 * that come along. esbuild's wasm is the file of its npm package.
 */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { textOf } from "@pawl/core/primitives/Utf8"
import { vendoredFiles } from "@pawl/adapters-local/builder/vendored/VendoredFiles"
import { build, type BuildOptions, type Plugin } from "esbuild"

const folder = fileURLToPath(new URL("../src/builder", import.meta.url))

/** Called over RPC, which carries maps, sets and bytes. */
const contents = `import { WorkerEntrypoint } from "cloudflare:workers"
import { answer } from "./BundlerAnswers.ts"
import { unpacked } from "../packages/UnpackAnswers.ts"
import wasm from "./esbuild.wasm"
import packages from "./packages.json"
export default class extends WorkerEntrypoint {
  answer(order, layer) { return answer(order, wasm, packages, layer) }
  unpack(archive, wanted, maxBytes) { return unpacked(archive, wanted, maxBytes) }
}
`

/** The lexer's usual form compiles WebAssembly while it runs, which Workers may not. */
const lexerOfJavaScript: Plugin = {
  name: "lexer",
  setup: (each) => {
    each.onResolve({ filter: /^es-module-lexer\/minimal$/ }, ({ resolveDir }) =>
      each.resolve("es-module-lexer/minimal/js", { kind: "import-statement", resolveDir })
    )
  }
}

/** What libraries ask Node for by its old names: the Worker of a build has it by the new ones. */
const nodeByName: Plugin = {
  name: "node-by-name",
  setup: (each) => {
    each.onResolve({ filter: /^(?:assert|buffer|events|path|stream|string_decoder|zlib)$/ }, ({ path }) => ({
      path: `node:${path}`,
      external: true
    }))
  }
}

const library = fileURLToPath(new URL("../../../node_modules/effect/dist", import.meta.url))

/** Imports of what an index of the library hands on whole. What is no module of its own stays an import of the index. */
const importsOf = (names: string, from: string): string => {
  const folder = join(library, from.slice("effect".length))
  const each = names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => ({ name, words: name.split(/\s+as\s+/) }))
  const isModule = ({ words }: { readonly words: ReadonlyArray<string> }) => existsSync(join(folder, `${words[0]}.js`))
  const rest = each.filter((one) => !isModule(one)).map(({ name }) => name)
  return [
    ...each.filter(isModule).map(({ words }) => `import * as ${words.at(-1)} from "${from}/${words[0]}"`),
    ...(rest.length === 0 ? [] : [`import { ${rest.join(", ")} } from "${from}"`])
  ].join("; ")
}

/** One of our sources, as if it named each module of the library itself. */
export const namedByModule = (text: string): string =>
  text.replaceAll(/^import \{([^}]*)\} from "(effect(?:\/[a-z-]+)?)"/gm, (_, names: string, from: string) =>
    importsOf(names, from)
  )

/**
 * Whatever an index hands on whole is bundled whole, used or not: so our sources are read as if they named each module of
 * the library itself. It makes a script smaller by a fifth to two thirds.
 */
export const libraryByModule: Plugin = {
  name: "library-by-module",
  setup: (each) => {
    each.onLoad({ filter: /packages\/[a-z-]+\/src\/.*\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: namedByModule(await readFile(path, "utf8"))
    }))
  }
}

/** How code for Workers is bundled: one module that asks for nothing but what the runtime has. */
export const forWorkers: BuildOptions & { readonly write: false } = {
  bundle: true,
  write: false,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  mainFields: ["module", "main"],
  conditions: ["pawl-source", "workerd", "worker", "module"],
  logLevel: "silent"
}

/** The code of that Worker. `./esbuild.wasm` and `./packages.json` stay imports, and Node's modules. */
export const bundlerCode = async (): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, loader: "js" },
    plugins: [lexerOfJavaScript, nodeByName, libraryByModule],
    ...forWorkers,
    external: ["cloudflare:*", "node:*", "./esbuild.wasm", "./packages.json"]
  })
  return outputFiles[0]?.text ?? ""
}

/** Code and manifests of the packages that come along, by path, as one text of JSON. */
export const bundlerPackages = (): string => {
  const tree = vendoredFiles()
  return JSON.stringify(
    Object.fromEntries(
      tree.paths().flatMap((path) => {
        const bytes = /\.(?:[cm]?js|json)$/.test(path) ? tree.bytes(path) : undefined
        return bytes === undefined ? [] : [[path, textOf(bytes)]]
      })
    )
  )
}
