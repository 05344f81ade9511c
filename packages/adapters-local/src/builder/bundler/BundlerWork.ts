/**
 * What is done for the order of one build. Bundling, and the look for real login, may be begun on an order that
 * is foreseen: what it made counts for the order that comes only where that one asks for the same, and every file that
 * was asked for, or asked about, is the same.
 */
import { type Looked, realAuthProblems } from "../auth/RealAuth.ts"
import type { BundlerAnswer, BundlerOrder } from "./BundlerMessages.ts"
import type { BundlerTools } from "./BundlerTools.ts"
import { bundle } from "./EsbuildRun.ts"
import { keptModules } from "./PlainModules.ts"
import { answersAlike, SeenFiles } from "./SeenFiles.ts"
import { makeTreePlugin, treeOf } from "./TreePlugin.ts"
import { whenThere } from "../layer/LayerTree.ts"
import { typeScriptSettings } from "./TypeScriptSettings.ts"

/** The answer, and the files of the tree that the app is made of. */
interface Built {
  readonly answer: BundlerAnswer
  readonly reached: ReadonlySet<string>
}

/** What was made of an order before it was sure. */
export interface Beginning {
  readonly order: BundlerOrder
  /** Null where nothing could be bundled yet. */
  readonly built: Built | null
  /** Paths of the tree that it was asked about. */
  readonly seen: ReadonlySet<string>
  readonly looked: Looked
}

const withEsbuild = async (main: string, order: BundlerOrder, tools: BundlerTools): Promise<Built> => {
  const layer = order.layer === null ? null : tools.openLayer(order.layer, order)
  const tree = treeOf(order.files)
  const { aliases, raw } = await whenThere(() => typeScriptSettings({ tree, layer }, main, order.jsx, order.tsconfig))
  const gathered = makeTreePlugin({ order, layer, aliases, vendored: tools.vendored })
  return { answer: await bundle(main, order, raw, gathered, tools), reached: gathered.reached }
}

const built = async (order: BundlerOrder, tools: BundlerTools): Promise<Built> => {
  if (order.main === null)
    return { answer: { _tag: "Bundled", main: null, modules: [], packages: [], warnings: [] }, reached: new Set() }
  const plain = order.modules === null ? null : await keptModules(order.main, order.modules, order)
  return plain ?? (await withEsbuild(order.main, order, tools))
}

const begin = async (order: BundlerOrder, tools: BundlerTools): Promise<Beginning> => {
  const files = new SeenFiles(order.files)
  // Modules that stay as they are depend on all files that there are.
  const isBundled = order.main !== null && order.modules === null
  const first = isBundled ? await built({ ...order, files }, tools) : null
  if (first?.answer._tag === "Died") throw new Error("the bundler died")
  // What it holds would be held as long as the command runs.
  if (first !== null) await tools.stop()
  const looked: Looked = new Map()
  await realAuthProblems({ ...order, reached: first?.reached ?? new Set() }, looked)
  return { order, built: first, seen: files.seen, looked }
}

/** All of an order that bundling goes by, but the files. */
const asked = (order: BundlerOrder): string => {
  const { flags, jsx, layer, main, moduleBytes, modules, packageBytes, problems, rules, tsconfig } = order
  return JSON.stringify([flags, jsx, layer, main, moduleBytes, modules, packageBytes, problems, rules, tsconfig])
}

/** Whether what was made of a foreseen order is what would be made of this one. */
const holds = ({ order: foreseen, seen }: Beginning, order: BundlerOrder): boolean =>
  asked(foreseen) === asked(order) &&
  ![...order.generated].some((path) => seen.has(path)) &&
  answersAlike(seen, foreseen.files, order.files)

const finish = async (
  order: BundlerOrder,
  beginning: Beginning | null,
  tools: BundlerTools
): Promise<BundlerAnswer> => {
  const begun = order.main === null ? null : (beginning?.built ?? null)
  if (beginning !== null && begun !== null && !holds(beginning, order)) return { _tag: "Stale" }
  const { answer, reached } = begun ?? (await built(order, tools))
  if (answer._tag === "Died") return answer
  const auth = await realAuthProblems({ ...order, reached }, beginning?.looked)
  if (auth.length === 0) return answer
  const told = new Set(auth.map(({ code, file, line }) => JSON.stringify([code, file, line])))
  const others = answer._tag === "Refused" ? answer.problems : []
  const rest = others.filter(({ code, file, line }) => !told.has(JSON.stringify([code, file, line])))
  return { _tag: "Refused", problems: [...auth, ...rest].slice(0, order.problems) }
}

/** What can be done for orders. */
export interface BundlerWork {
  /** Begins on an order that is foreseen. Rejects when that cannot be done, or the bundler dies of it. */
  readonly begin: (order: BundlerOrder) => Promise<Beginning>
  /**
   * Does an order, from its beginning where there is one. Problems of real login come first; what the bundler says of the
   * same line is the same. `Stale`: what was begun does not count.
   */
  readonly finish: (order: BundlerOrder, beginning: Beginning | null) => Promise<BundlerAnswer>
}

/** The work with the tools that there are where it runs. */
export const makeWork = (tools: BundlerTools): BundlerWork => ({
  begin: (order) => begin(order, tools),
  finish: (order, beginning) => finish(order, beginning, tools)
})
