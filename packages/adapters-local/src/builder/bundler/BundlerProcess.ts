/**
 * The process of one build: it says that it is ready, takes one order, answers, and waits to be killed.
 * esbuild parses what anyone wrote, and some sources crash or hang it; here it takes only itself along.
 */
import { build, transform, version, type BuildResult, type Message } from "esbuild"
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { Limits } from "@pawl/core/primitives/Limits"
import type { BundlerAnswer, BundlerMessage, BundlerOrder } from "./BundlerMessages.ts"
import { problem } from "./BundlerProblem.ts"
import { authPackageProblem, realAuthProblems } from "../auth/RealAuth.ts"
import { runTimeImports, runTimeImportWarning } from "./RunTimeImports.ts"
import { makeTreePlugin, namespace } from "./TreePlugin.ts"

const say = (message: BundlerMessage): void => {
  process.send?.(message)
}

const codeOf = (message: Message): string => {
  const detail: unknown = message.detail
  return typeof detail === "object" && detail !== null && "code" in detail && typeof detail.code === "string"
    ? detail.code
    : "syntax"
}

/** `lineText`, notes and places outside the tree stay behind: they could show what is not the app's. */
const toProblem = (message: Message, code: string): BuildProblem => {
  const place =
    message.location?.namespace === namespace || message.location?.file.startsWith(`${namespace}:`)
      ? message.location
      : null
  return problem(code, message.text.slice(0, Limits.problemLength), {
    file: place?.file.replace(`${namespace}:`, "") ?? null,
    line: place?.line ?? null,
    column: place === null ? null : place.column + 1
  })
}

interface Failed {
  readonly errors: Array<Message>
}
const isFailed = (error: unknown): error is Failed =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors)

const runEsbuild = (main: string, order: BundlerOrder, plugin: ReturnType<typeof makeTreePlugin>["plugin"]) =>
  build({
    entryPoints: [main],
    plugins: [plugin],
    bundle: true,
    write: false,
    metafile: true,
    outfile: "/index.js",
    absWorkingDir: "/",
    format: "esm",
    platform: "neutral",
    target: "es2022",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    define: { "process.env.NODE_ENV": '"production"' },
    tsconfigRaw: "{}",
    sourcemap: false,
    logLevel: "silent",
    logLimit: order.problems
  })

const refused = (problems: ReadonlyArray<BuildProblem>): BundlerAnswer => ({ _tag: "Refused", problems })

const answerOf = async (
  main: string,
  order: BundlerOrder,
  result: Awaited<ReturnType<typeof runEsbuild>>,
  kept: ReturnType<typeof makeTreePlugin>["kept"]
): Promise<BundlerAnswer> => {
  const code = result.outputFiles[0]?.contents ?? new Uint8Array()
  if (code.byteLength > order.moduleBytes) {
    const text = `The bundled app is ${code.byteLength} bytes; a module may have ${order.moduleBytes}.`
    return refused([problem("module_over_limit", text, { file: main })])
  }
  if (!exportsDefault(result)) {
    const text = `${main} has no default export: a Worker exports an object with a fetch function, or a class that has one.`
    return refused([problem("default_export_missing", text, { file: main })])
  }
  const unknown = await runTimeImports(new TextDecoder().decode(code))
  const auth = unknown.flatMap(({ file, auth }) =>
    auth.map(({ name, kind }) =>
      authPackageProblem(`An import() may name ${JSON.stringify(name)}`, kind, {
        file: file ?? main,
        line: null,
        column: null
      })
    )
  )
  if (auth.length > 0) return refused(auth.slice(0, order.problems))
  const warnings = [
    ...result.warnings.map((message) => toProblem(message, "warning")),
    ...unknown.map(runTimeImportWarning)
  ].slice(0, order.problems)
  return { _tag: "Bundled", code, kept: [...kept.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), warnings }
}

const exportsDefault = (result: BuildResult): boolean =>
  Object.values(result.metafile?.outputs ?? {}).some((output) => output.exports.includes("default"))

const bundle = async (
  main: string,
  order: BundlerOrder,
  { plugin, kept }: ReturnType<typeof makeTreePlugin>
): Promise<BundlerAnswer> => {
  try {
    return await answerOf(main, order, await runEsbuild(main, order, plugin), kept)
  } catch (error) {
    // Without a list of errors it is not the source that failed but esbuild.
    const errors = isFailed(error) ? error.errors : []
    return errors.length === 0
      ? { _tag: "Died" }
      : refused(errors.slice(0, order.problems).map((message) => toProblem(message, codeOf(message))))
  }
}

/** Problems of real login first; what the bundler says of the same line is the same. */
const run = async (order: BundlerOrder): Promise<BundlerAnswer> => {
  const tree = makeTreePlugin(order)
  const answer: BundlerAnswer =
    order.main === null
      ? { _tag: "Bundled", code: null, kept: [], warnings: [] }
      : await bundle(order.main, order, tree)
  if (answer._tag === "Died") return answer
  const auth = await realAuthProblems({ ...order, reached: tree.reached })
  if (auth.length === 0) return answer
  const told = new Set(auth.map(({ code, file, line }) => JSON.stringify([code, file, line])))
  const others = answer._tag === "Refused" ? answer.problems : []
  const rest = others.filter(({ code, file, line }) => !told.has(JSON.stringify([code, file, line])))
  return refused([...auth, ...rest].slice(0, order.problems))
}

// The parent is gone: take esbuild along. This process leads a group of its own.
process.once("disconnect", () => process.kill(-process.pid, "SIGKILL"))
process.once("message", (order: BundlerOrder) => {
  run(order).then(say, () => say({ _tag: "Died" }))
})
// Starts esbuild's own process before it is needed.
await transform("")
say({ _tag: "Ready", version })
