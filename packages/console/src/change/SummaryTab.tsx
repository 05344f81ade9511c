/** The tab Summary: why it stands where it stands, who decided, and what it is made of. */
import type { ReactNode } from "react"
import { Answered } from "../ui/Answered.tsx"
import type { TabProps } from "./ChangeTabs.tsx"
import { HowToSend } from "./HowToSend.tsx"
import { useChange } from "./Queries.ts"
import type { Change } from "./Records.ts"
import { useStanding } from "./StandingHere.ts"
import { SummaryFacts } from "./SummaryFacts.tsx"
import { Approvals, Doubts, InTheWay, Parts, Review } from "./SummaryParts.tsx"

const Summary = ({ change }: { readonly change: Change }): ReactNode => {
  const here = useStanding(change)
  const { at, changeSets, isKnown, project } = here
  if (!isKnown) return null
  const hasNone = changeSets.length === 0 && at.candidate === null && change.status === "created"
  return (
    <div className="summary">
      <div className="summary-main">
        {hasNone ? (
          <HowToSend label={project?.project.label ?? ""} project={change.projectId} change={change.id} />
        ) : null}
        <InTheWay why={at.why} change={change} />
        <Approvals at={at} />
        <Doubts why={at.why} />
        <Review why={at.why} />
        <Parts here={here} />
      </div>
      <SummaryFacts here={here} />
    </div>
  )
}

/** `candidateId` is read from the address here too. */
export default function SummaryTab({ changeId }: TabProps): ReactNode {
  const query = useChange(changeId)
  return <Answered query={query}>{({ change }) => <Summary change={change} />}</Answered>
}
