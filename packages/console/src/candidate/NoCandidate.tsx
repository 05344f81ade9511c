/** Where a tab needs a Candidate, and the Change has none. */
import type { ReactNode } from "react"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"

/** `what` is what the tab would show: "diff". */
export const NoCandidate = ({ what }: { readonly what: string }): ReactNode => (
  <Card bare>
    <Empty icon="dot" title={`There is no ${what} yet`}>
      <p>A Candidate is made of the ChangeSets of this Change. Send one, and ask for a Candidate.</p>
    </Empty>
  </Card>
)
