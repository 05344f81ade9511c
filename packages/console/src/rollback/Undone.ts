/** What the server says of a rollback before it is asked for, in words. Pure. */
import type { Answer } from "../api/Wire.ts"

/** What a rollback would do on one head. */
export type Plan = Answer<"rollbacks", "plan">["plan"]

/** The generations that are undone, by a count. */
export const undoneWords = ({ undoneTotal }: Pick<Plan, "undoneTotal">): string =>
  `It undoes ${undoneTotal} ${undoneTotal === 1 ? "generation" : "generations"}`

/** How many are undone that are not named. */
export const unnamed = ({ undone, undoneTotal }: Pick<Plan, "undone" | "undoneTotal">): number =>
  undoneTotal - undone.length

/** Who must approve it, and why. */
export const gateWords = ({ approval, riskTier }: Pick<Plan, "approval" | "riskTier">): string => {
  const risk = `What it undoes is of ${riskTier} risk`
  if (approval.owed === 0) return `${risk}: no approval is owed.`
  const who = approval.owed === 1 ? "one person approves" : `${approval.owed} people approve`
  const how = approval.signed ? ", each with a passkey" : ""
  const others = approval.self ? "" : " Who asks for it may not be one of them."
  return `${risk}: it waits until ${who}${how}.${others}`
}
