/**
 * The process of one build: it says that it is ready, takes one order, answers, and waits to be killed.
 * esbuild parses what anyone wrote, and some sources crash or hang it; here it takes only itself along.
 */
import { build, transform, version, type BuildResult, type Message } from "esbuild"
import type { BuildProblem } from "@pawl/core/app/AppBuilder"
import type { BundlerAnswer, BundlerMessage, BundlerOrder } from "./BundlerMessages.ts"
import { problem } from "./Problems.ts"
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
  return problem(code, message.text.slice(0, 2000), {
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

const runEsbuild = (order: BundlerOrder, plugin: ReturnType<typeof makeTreePlugin>["plugin"]) =>
  build({
    entryPoints: [order.main],
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

const answerOf = (
  order: BundlerOrder,
  result: Awaited<ReturnType<typeof runEsbuild>>,
  kept: ReturnType<typeof makeTreePlugin>["kept"]
): BundlerAnswer => {
  const code = result.outputFiles[0]?.contents ?? new Uint8Array()
  const warnings = result.warnings.slice(0, order.problems).map((message) => toProblem(message, "warning"))
  if (code.byteLength > order.moduleBytes) {
    const text = `The bundled app is ${code.byteLength} bytes; a module may have ${order.moduleBytes}.`
    return { _tag: "Refused", problems: [problem("module_over_limit", text, { file: order.main })] }
  }
  if (!exportsDefault(result)) {
    const text = `${order.main} has no default export: a Worker exports an object with a fetch function, or a class that has one.`
    return { _tag: "Refused", problems: [problem("default_export_missing", text, { file: order.main })] }
  }
  return { _tag: "Bundled", code, kept: [...kept.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), warnings }
}

const exportsDefault = (result: BuildResult): boolean =>
  Object.values(result.metafile?.outputs ?? {}).some((output) => output.exports.includes("default"))

const run = async (order: BundlerOrder): Promise<BundlerAnswer> => {
  const { plugin, kept } = makeTreePlugin(order)
  try {
    return answerOf(order, await runEsbuild(order, plugin), kept)
  } catch (error) {
    // Without a list of errors it is not the source that failed but esbuild.
    const errors = isFailed(error) ? error.errors : []
    return errors.length === 0
      ? { _tag: "Died" }
      : {
          _tag: "Refused",
          problems: errors.slice(0, order.problems).map((message) => toProblem(message, codeOf(message)))
        }
  }
}

// The parent is gone: take esbuild along. This process leads a group of its own.
process.once("disconnect", () => process.kill(-process.pid, "SIGKILL"))
process.once("message", (order: BundlerOrder) => {
  run(order).then(say, () => say({ _tag: "Died" }))
})
// Starts esbuild's own process before it is needed.
await transform("")
say({ _tag: "Ready", version })
