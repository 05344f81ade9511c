/** What a rollback undoes, and what the Policy says of it. Pure: the same answers make the same plan. */
import type { Answer } from "../api/Wire.ts"

type Policy = Answer<"policies", "get">["policy"]
type Version = Answer<"projects", "versions">["items"][number]

/** Generations that one request answers, so as many are listed by name; the rest is counted. */
export const listedMost = 100

/** How the list of what is undone is asked for: the newest of those above the target. */
export const askedFor = (head: number, target: number): { readonly before: number; readonly limit: number } => ({
  before: head + 1,
  limit: Math.min(listedMost, head - target)
})

/** Those above the target that brought a Change, the newest first. */
export const undoneBy = (versions: ReadonlyArray<Version>, target: number): ReadonlyArray<Version> =>
  versions.filter(({ changeId, generation }) => generation > target && changeId !== null)

/** Which tiers of risk owe an approval, in words. The tier itself is only known when the rollback is composed. */
export const gateWords = ({ approvalRiskTiers, approvalsRequired = 1 }: Policy): string => {
  if (approvalRiskTiers.length === 0) return "The Policy asks for no approval, whatever the risk."
  const who = approvalsRequired === 1 ? "one person approves" : `${approvalsRequired} people approve`
  return `At risk ${approvalRiskTiers.join(" or ")} it waits until ${who}. The risk is known once it is composed.`
}
