/** What a rollback would do, in lines for a terminal. Pure. */
import type { Answer } from "./Routes.ts"

type Plan = Answer<"rollbacks.plan">["plan"]

/** Generations that are named; the rest is counted. */
const namedMost = 5

const undoneLine = ({ undone, undoneTotal }: Plan): string => {
  const named = undone
    .slice(0, namedMost)
    .map(({ change, generation }) =>
      change === null ? `S${generation}` : `S${generation} ${change.id} (${change.riskTier}): ${change.goal}`
    )
  const others = undoneTotal - named.length
  return `It undoes ${named.join("; ")}${others > 0 ? `; and ${others} more before these` : ""}`
}

const changedLine = ({ changed }: Plan): string =>
  changed === null
    ? "What it changes is too much to be counted"
    : `It changes ${changed.filesTotal} ${changed.filesTotal === 1 ? "file" : "files"}, +${changed.additions} -${changed.deletions}`

const gateLine = ({ approval, riskTier }: Plan): string => {
  if (approval.owed === 0) return `Risk ${riskTier}: no approval is owed`
  const people = approval.owed === 1 ? "one person" : `${approval.owed} people`
  const how = approval.signed ? ", each with a passkey" : ""
  return `Risk ${riskTier}: ${people} must approve${how}${approval.self ? "" : ", and not who asks for it"}`
}

/** What it undoes, what it changes, who must approve, and what it leaves as it is. */
export const planLines = (plan: Plan): ReadonlyArray<string> => [
  undoneLine(plan),
  changedLine(plan),
  gateLine(plan),
  ...(plan.dataWarning === null ? [] : [plan.dataWarning]),
  ...(plan.underWay === null ? [] : [`It was asked for on this head already: Change ${plan.underWay.changeId}`])
]
