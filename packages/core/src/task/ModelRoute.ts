/** Which tier of model works a Task, and which comes after it (decisions, "Enumerations"). */
import { Limits } from "../primitives/Limits.ts"
import type { Complexity, ModelTier, TaskKind, TaskRun } from "../model/Task.ts"

/** Weakest first. */
const tiers: ReadonlyArray<ModelTier> = ["fast", "balanced", "strong"]

const byComplexity: { readonly [C in Complexity]: ModelTier } = { small: "fast", medium: "balanced", large: "strong" }

/** The tier that a Task begins with. Planning goes to the strongest; a migration never to the weakest. */
export const tierOf = (kind: TaskKind | "plan", complexity: Complexity): ModelTier => {
  if (kind === "plan") return "strong"
  return kind === "migrate" && complexity === "small" ? "balanced" : byComplexity[complexity]
}

/** Why there is to be another attempt. `Diverged`: another version of this program began the one before. */
export type NextAttempt = "Retry" | "Escalate" | "Diverged"

/**
 * The tier of the next attempt after one that asked for another: the same while fewer than two attempts were used up
 * in it, else, or when it asked for a stronger one, the next; null when there is none. `runs` are all runs of the Task
 * that ended before. Runs that a budget, an operator or an upgrade ended do not count: upgrades at most
 * `Limits.divergedRuns` times, so that a program which never makes the same files again comes to an end.
 */
export const tierAfter = (
  asked: NextAttempt,
  tier: ModelTier,
  runs: ReadonlyArray<Pick<TaskRun, "tier" | "outcome">>
): ModelTier | null => {
  const diverged = runs.filter((run) => run.outcome === "diverged").length
  if (asked === "Diverged" && diverged < Limits.divergedRuns) return tier
  const used = runs.filter((run) => run.tier === tier && run.outcome === "retried").length + 1
  if (asked !== "Escalate" && used < Limits.attemptsPerTier) return tier
  return tiers[tiers.indexOf(tier) + 1] ?? null
}
