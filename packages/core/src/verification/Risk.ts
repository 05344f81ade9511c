/**
 * A Candidate's risk, from what the files do that its diff touches, and its Task kinds. `low` is only what nobody
 * runs. No model lowers it (decisions, 13).
 */
import type { RiskTier } from "../model/Change.ts"
import type { PlannedPackages } from "../model/Plan.ts"
import { Limits } from "../primitives/Limits.ts"
import type { TaskKind } from "../model/Task.ts"
import { packageRisk } from "./PackageRules.ts"

/** Where the settings of an app may stand. */
export const settingsNames = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"] as const

const isGrave = (path: string): boolean =>
  path === "pawl.json" || (settingsNames as ReadonlyArray<string>).includes(path) || /(^|\/)migrations?\//.test(path)

const text = /\.(html?|svg|css|txt|md|markdown)$/i
const served = /\.(html?|svg|css|txt|md|markdown|png|jpe?g|gif|ico|webp|avif|woff2?|ttf|otf)$/i
const document = /\.(md|markdown|txt)$/i
const picturePattern = /\.(png|jpe?g|gif|webp|avif)$/i

/** Whether a file is text, and holds a script unless it can be seen that it holds none. */
export const isText = (path: string): boolean => text.test(path)

/** Whether its kind is one that nobody runs, wherever it lies. */
export const isServable = (path: string): boolean => served.test(path)

/**
 * Whether a file is of the kinds that code of the app can import: where one is gone, the import may lead to another.
 */
export const isImportable = (path: string): boolean => /\.(html|txt)$/i.test(path)

/** What decides whether a path that changed is harmless. */
export interface Surroundings {
  /** The folder that the build serves to anyone, as the composed settings say; null for none. */
  readonly assets: string | null
  /** Whether a check of base or Candidate reads a file. */
  readonly isRead: (path: string) => boolean
}

/**
 * Whether nobody runs a file, as far as its name and its place tell: served as it stands, or a document, and no check
 * reads it.
 */
export const isLight = (path: string, { assets, isRead }: Surroundings): boolean => {
  const asset = assets !== null && path.startsWith(`${assets}/`) && served.test(path)
  const written = document.test(path) || (path.startsWith("docs/") && picturePattern.test(path))
  // So deep that no glob of a check is matched against it.
  const deep = path.split("/").length > Limits.globPathSegments
  return (asset || written) && !deep && !isRead(path)
}

/** What a Candidate touches. */
export interface Touched extends Surroundings {
  /** Files of the base that it alters or deletes. */
  readonly altered: ReadonlyArray<string>
  /** Null when the diff could not be read. */
  readonly paths: ReadonlyArray<string> | null
  /** Those of them that hold a script, before or after, or could not be looked at. */
  readonly scripted: ReadonlySet<string>
  readonly taskKinds: ReadonlyArray<TaskKind>
  /** Whether the Candidate adds, alters or removes a check. */
  readonly checksTouched: boolean
  /** What was judged of the packages that it adds or moves; null for nothing. */
  readonly packages: PlannedPackages | null
}

/** The risk of what is touched: the gravest that any of it brings. */
export const riskOf = (touched: Touched): RiskTier => {
  const { paths, scripted } = touched
  const packages = packageRisk(touched.packages)
  if (packages === "high") return "high"
  if (touched.checksTouched || touched.taskKinds.includes("migrate")) return "high"
  // Too many to find those of checks among them: old promises cannot be asked.
  if (touched.altered.length > Limits.alteredFiles) return "high"
  if (paths === null) return "unknown"
  if (paths.some(isGrave)) return "high"
  const isHarmless = packages === null && paths.every((path) => !scripted.has(path) && isLight(path, touched))
  return isHarmless ? "low" : "medium"
}

const order = ["low", "medium", "high", "unknown"] as const

/** The higher of a Change's risk and that of one of its Candidates. Before the first, a Change's is unknown. */
export const riskier = (change: RiskTier, candidate: RiskTier): RiskTier =>
  change === "unknown" || order.indexOf(candidate) > order.indexOf(change) ? candidate : change
