/** What is known of a Change, name by name. */
import { money } from "../ui/Amounts.ts"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { Risk } from "../candidate/Seen.tsx"
import { Card } from "../ui/Card.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { changeRiskTone } from "../candidate/RiskWords.ts"
import { titleOf } from "./Next.ts"
import type { StandingHere } from "./StandingHere.ts"

/** Beside the parts; below them where it is narrow. */
export const SummaryFacts = ({ here }: { readonly here: StandingHere }): ReactNode => {
  const { at, project } = here
  const { candidate, change, policy, why } = at
  const { budget_usd: budget, goal, reserved_usd: reserved, spent_usd: spent } = change
  return (
    <aside className="summary-facts" aria-label="Facts">
      <Card title="Facts">
        {titleOf(goal) === goal.trim() ? null : <p className="goal">{goal}</p>}
        <Facts
          of={{
            Risk:
              candidate?.plan_json == null ? (
                <Tag tone={changeRiskTone(change.riskTier)}>{change.riskTier}</Tag>
              ) : (
                <Risk candidate={candidate} why={why} />
              ),
            Project: project === null ? null : <Link href={`/p/${project.project.label}`}>{project.project.name}</Link>,
            Head: project?.canonical == null ? null : `S${project.canonical.generation}`,
            Spent: `${money(spent)} of ${money(budget)}${(reserved ?? 0) > 0 ? `, ${money(reserved ?? 0)} reserved` : ""}`,
            Policy: policy === null ? null : `version ${policy.version}`,
            Lane: why?.lane == null ? null : `${why.lane.state}, at ${why.lane.position}`,
            "Why back": change.rollbackReason ?? null,
            Reason: change.reason,
            Moved: <Time at={change.updatedAt} />
          }}
        />
      </Card>
    </aside>
  )
}
