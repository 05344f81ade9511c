/** `assets.run_worker_first`: true, false, or patterns of paths as wrangler takes them. */
import { RunWorkerFirst } from "@pawl/core/bundle/Bundle"
import { Limits } from "@pawl/core/primitives/Limits"
import { LocalLimits } from "../../LocalLimits.ts"
import { Schema } from "effect"

const shown = (rule: string): string => JSON.stringify(rule.slice(0, Limits.repeatedNameLength))

const ruleProblem = (rule: string, others: ReadonlyArray<string>): string | null => {
  if (!/^!?\//.test(rule)) return `has ${shown(rule)}: a pattern begins with "/", an exception with "!/".`
  if (rule.length > LocalLimits.workerFirstRuleLength)
    return `has ${shown(rule)}: a pattern may have ${LocalLimits.workerFirstRuleLength} characters.`
  if (others.filter((other) => other === rule).length > 1) return `has ${shown(rule)} twice.`
  const wider = others.find((other) => other !== rule && other.endsWith("*") && rule.startsWith(other.slice(0, -1)))
  return wider === undefined ? null : `has ${shown(rule)}, which ${shown(wider)} says already.`
}

/** Why a value is not what the setting takes, as the end of a sentence; null when it is. */
export const workerFirstProblem = (value: unknown): string | null => {
  if (!isSetting(value)) return `must be true, false, or a list of patterns such as ["/api/*", "!/api/docs/*"].`
  if (typeof value === "boolean") return null
  if (value.length > LocalLimits.workerFirstRules)
    return `has ${value.length} patterns; it may have ${LocalLimits.workerFirstRules}.`
  if (!value.some((rule) => !rule.startsWith("!")))
    return `has no pattern but exceptions: name the paths that go to the app, such as "/api/*".`
  for (const rule of value) {
    const wrong = ruleProblem(rule, value)
    if (wrong !== null) return wrong
  }
  return null
}

/** Whether a value has the setting's shape; its patterns are judged by `workerFirstProblem`. */
export const isSetting = (value: unknown): value is RunWorkerFirst => Schema.is(RunWorkerFirst)(value)
