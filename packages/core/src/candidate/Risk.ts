/** A Candidate's risk, from what its diff touches and its Task kinds. No model lowers it (decisions, 13). */
import type { RiskTier } from "../change/Change.ts"
import type { TaskKind } from "../task/Task.ts"

const grave = (path: string): boolean =>
  path === "pawl.json" || /^wrangler\.(json|jsonc|toml)$/.test(path) || /(^|\/)migrations?\//.test(path)

/** Static assets, documents and styles. */
const light = (path: string): boolean =>
  /^(public|static|docs)\//.test(path) || /\.(md|txt|css|png|jpe?g|gif|svg|ico|webp|avif|woff2?)$/i.test(path)

export const riskOf = (options: {
  /** Null when the diff could not be read. */
  readonly paths: ReadonlyArray<string> | null
  readonly taskKinds: ReadonlyArray<TaskKind>
  /** Whether the Candidate adds, alters or removes a check. */
  readonly checksTouched: boolean
}): RiskTier => {
  if (options.checksTouched || options.taskKinds.includes("migrate")) return "high"
  if (options.paths === null) return "unknown"
  if (options.paths.some(grave)) return "high"
  return options.paths.every(light) ? "low" : "medium"
}
