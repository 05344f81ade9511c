/**
 * The process of one build: it says that it is ready, takes one order, answers, and waits to be killed.
 * esbuild parses what anyone wrote, and some sources crash or hang it; here it takes only itself along.
 */
import { transform, version } from "esbuild"
import type { BundlerAnswer, BundlerMessage, BundlerOrder } from "./BundlerMessages.ts"
import { realAuthProblems } from "../auth/RealAuth.ts"
import { openLayer } from "../layer/LayerTree.ts"
import { bundle } from "./EsbuildRun.ts"
import { keptModules } from "./PlainModules.ts"
import { makeTreePlugin, treeOf } from "./TreePlugin.ts"
import { typeScriptSettings } from "./TypeScriptSettings.ts"

const say = (message: BundlerMessage): void => {
  process.send?.(message)
}

/** The answer, and the files of the tree that the app is made of. */
const built = async (
  main: string,
  order: BundlerOrder
): Promise<{ readonly answer: BundlerAnswer; readonly reached: ReadonlySet<string> }> => {
  if (order.modules !== null) {
    const plain = await keptModules(main, order.modules, order)
    if (plain !== null) return plain
  }
  const layer = order.layer === null ? null : openLayer(order.layer, order.packageBytes)
  const tree = treeOf(order.files)
  const { aliases, raw } = typeScriptSettings({ tree, layer }, main, order.jsx, order.tsconfig)
  const gathered = makeTreePlugin({ order, layer, aliases })
  return { answer: await bundle(main, order, raw, gathered), reached: gathered.reached }
}

/** Problems of real login first; what the bundler says of the same line is the same. */
const run = async (order: BundlerOrder): Promise<BundlerAnswer> => {
  const { answer, reached } =
    order.main === null
      ? {
          answer: { _tag: "Bundled", main: null, modules: [], packages: [], warnings: [] } as const,
          reached: new Set<string>()
        }
      : await built(order.main, order)
  if (answer._tag === "Died") return answer
  const auth = await realAuthProblems({ ...order, reached })
  if (auth.length === 0) return answer
  const told = new Set(auth.map(({ code, file, line }) => JSON.stringify([code, file, line])))
  const others = answer._tag === "Refused" ? answer.problems : []
  const rest = others.filter(({ code, file, line }) => !told.has(JSON.stringify([code, file, line])))
  return { _tag: "Refused", problems: [...auth, ...rest].slice(0, order.problems) }
}

// The parent is gone: take esbuild along. This process leads a group of its own.
process.once("disconnect", () => process.kill(-process.pid, "SIGKILL"))
process.once("message", (order: BundlerOrder) => {
  run(order).then(say, () => say({ _tag: "Died" }))
})
// Starts esbuild's own process before it is needed.
await transform("")
say({ _tag: "Ready", version })
