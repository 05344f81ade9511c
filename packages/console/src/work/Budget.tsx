/** What the agents of a Change have spent of what they may. */
import type { ReactNode } from "react"
import type { Answer } from "../api/Wire.ts"
import { moneyWords } from "./WorkWords.ts"

/** A bar and the same in words. */
export const Budget = ({ change }: { readonly change: Answer<"changes", "get">["change"] }): ReactNode => {
  const { budget_usd: budget, reserved_usd: reserved = 0, spent_usd: spent } = change
  return (
    <div className="work-budget">
      <meter min={0} max={budget} high={budget * 0.8} value={Math.min(budget, spent + reserved)} aria-label="Budget" />
      <p>
        <strong>{moneyWords(spent)}</strong> of {moneyWords(budget)} spent
        {reserved > 0 ? `, ${moneyWords(reserved)} kept for calls on their way` : ""}
      </p>
    </div>
  )
}
