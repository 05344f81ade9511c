/** One run of esbuild over the file map, and what its answer means. Runs apart, for this one build. */
import type { BuildOptions, BuildResult, Message } from "esbuild"
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { Limits } from "@pawl/core/primitives/Limits"
import { packageFile, scriptsOf } from "@pawl/core/project/PackageScripts"
import { authPackageProblem } from "../auth/AuthProblem.ts"
import { biggest, packageOf } from "../layer/LayerTree.ts"
import { readMap } from "../maps/CleanMap.ts"
import type { BundlerAnswer, BundlerOrder } from "./BundlerMessages.ts"
import { problem } from "./BundlerProblem.ts"
import type { BundlerTools } from "./BundlerTools.ts"
import { heldPackages } from "./HeldPackages.ts"
import { runTimeImports, runTimeImportWarning } from "./RunTimeImports.ts"
import { type Gathered, missingKey, namespace, packageNamespace, sizesShown } from "./TreePlugin.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

type Ran = BuildResult<ReturnType<typeof optionsOf>>

/** The name of the module that runs. */
const mainModule = "index.js"
const spaces = [namespace, packageNamespace]

const codeOf = (message: Message): string => {
  const detail: unknown = message.detail
  return typeof detail === "object" && detail !== null && "code" in detail && typeof detail.code === "string"
    ? detail.code
    : "syntax"
}

/** The file of the app or of a package that a message is about. */
const fileOf = ({ location }: Message): string | null => {
  const space = spaces.find((one) => location?.namespace === one || location?.file.startsWith(`${one}:`))
  return space === undefined || location === null ? null : location.file.replace(`${space}:`, "")
}

/** `lineText`, notes and places outside the tree stay behind: they could show what is not the app's. */
const toProblem = (message: Message, code: string, missing: Gathered["missing"]): BuildProblem => {
  const file = fileOf(message)
  const line = file === null ? null : (message.location?.line ?? null)
  const column = file === null || message.location === null ? null : message.location.column + 1
  const specifier = /^Could not resolve "([^]*)"$/.exec(message.text)?.[1]
  const known = specifier === undefined || file === null ? undefined : missing.get(missingKey(file, specifier))
  const text = (known?.message ?? message.text).slice(0, Limits.problemLength)
  return problem(known?.code ?? code, text, { file, line, column })
}

interface Failed {
  readonly errors: Array<Message>
}
const isFailed = (error: unknown): error is Failed =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors)

const optionsOf = (main: string, order: BundlerOrder, tsconfigRaw: string, plugin: Gathered["plugin"]) =>
  ({
    entryPoints: [main],
    plugins: [plugin],
    bundle: true,
    write: false,
    metafile: true,
    outfile: `/${mainModule}`,
    absWorkingDir: "/",
    format: "esm",
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    tsconfigRaw,
    // Beside the code, and without a word of it there: a map is never served.
    sourcemap: "external",
    sourcesContent: false,
    logLevel: "silent",
    logLimit: order.problems
  }) satisfies BuildOptions

const refused = (problems: ReadonlyArray<BuildProblem>): BundlerAnswer => ({ _tag: "Refused", problems })

const outputOf = (result: Ran, name: string): Uint8Array | undefined =>
  result.outputFiles.find(({ path }) => path === `/${name}`)?.contents

/** Files that something of is in the code, as esbuild names them. */
const inputsOf = (result: BuildResult): ReadonlyArray<string> =>
  Object.values(result.metafile?.outputs ?? {}).flatMap((output) =>
    Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : []))
  )

/** The packages that make most of the bundle, as a sentence; nothing where there are none. */
const packagesIn = (result: BuildResult): string => {
  const sizes = new Map<string, number>()
  for (const output of Object.values(result.metafile?.outputs ?? {}))
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      if (!input.includes("node_modules/")) continue
      const name = packageOf(input)
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput)
    }
  return sizes.size === 0 ? "" : ` Its biggest packages: ${sizesShown(biggest(sizes))}.`
}

const exportsDefault = (result: BuildResult): boolean =>
  Object.values(result.metafile?.outputs ?? {}).some((output) => output.exports.includes("default"))

/** What is wrong with a bundle that esbuild made; none when it can be an app. */
const faultsOf = (main: string, order: BundlerOrder, result: Ran, code: Uint8Array): ReadonlyArray<BuildProblem> => {
  if (code.byteLength > order.moduleBytes) {
    const text = `The bundled app is ${code.byteLength} bytes; a module may have ${order.moduleBytes}.${packagesIn(result)}`
    return [problem("module_over_limit", text, { file: main })]
  }
  if (exportsDefault(result)) return []
  const text = `${main} has no default export: a Worker exports an object with a fetch function, or a class that has one.${builtHint(order)}`
  return [problem("default_export_missing", text, { file: main })]
}

/** What to do where a script of the project makes what should be served, and nothing told to run it. */
const builtHint = ({ files, generated }: BundlerOrder): string => {
  const manifest = files.get(packageFile)
  const script = generated.size > 0 || manifest === undefined ? undefined : scriptsOf(textOf(manifest))["build"]
  return script === undefined || script.trim() === ""
    ? ""
    : ' When the build script of package.json makes the app, name it in pawl.json: "build": { "command": "npm run build" }.'
}

const stylesWarning = (main: string): BuildProblem =>
  problem(
    "styles_not_served",
    "The code imports CSS. It gets the class names of CSS modules; the styles themselves are served by nobody: put them into the assets, or let a build command do so.",
    { file: main }
  )

const answerOf = async (
  main: string,
  order: BundlerOrder,
  result: Ran,
  { kept, keptOfPackages, missing }: Gathered,
  vendored: BundlerTools["vendored"]
): Promise<BundlerAnswer> => {
  const code = outputOf(result, mainModule) ?? new Uint8Array()
  const faults = faultsOf(main, order, result, code)
  if (faults.length > 0) return refused(faults)
  const unknown = await runTimeImports(textOf(code))
  const auth = unknown.flatMap(({ file, auth: named }) =>
    named.map(({ name, kind }) =>
      authPackageProblem(`An import() may name ${JSON.stringify(name)}`, kind, {
        file: file ?? main,
        line: null,
        column: null
      })
    )
  )
  if (auth.length > 0) return refused(auth.slice(0, order.problems))
  const own = result.warnings.filter((message) => message.location?.namespace !== packageNamespace)
  const warnings = [
    ...own.map((message) => toProblem(message, "warning", missing)),
    ...(outputOf(result, "index.css") === undefined ? [] : [stylesWarning(main)]),
    ...unknown.filter(({ isPackages }) => !isPackages).map(runTimeImportWarning)
  ].slice(0, order.problems)
  const json = textOf(outputOf(result, `${mainModule}.map`) ?? new Uint8Array())
  const map = readMap(json, "", (path) => order.files.has(path))
  const others = [...kept.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return {
    _tag: "Bundled",
    main: mainModule,
    modules: [
      {
        name: mainModule,
        type: "esm",
        content: code,
        map: map === null ? null : new TextEncoder().encode(JSON.stringify(map))
      },
      ...others.map((module) => ({ ...module, map: null }))
    ],
    packages: heldPackages(inputsOf(result), keptOfPackages, vendored),
    warnings
  }
}

/** Bundles the main module with all that it imports. */
export const bundle = async (
  main: string,
  order: BundlerOrder,
  tsconfigRaw: string,
  gathered: Gathered,
  tools: Pick<BundlerTools, "build" | "vendored">
): Promise<BundlerAnswer> => {
  try {
    const result = await tools.build(optionsOf(main, order, tsconfigRaw, gathered.plugin))
    return await answerOf(main, order, result, gathered, tools.vendored)
  } catch (error) {
    // Without a list of errors it is not the source that failed but esbuild.
    const errors = isFailed(error) ? error.errors : []
    return errors.length === 0
      ? { _tag: "Died" }
      : refused(errors.slice(0, order.problems).map((message) => toProblem(message, codeOf(message), gathered.missing)))
  }
}
