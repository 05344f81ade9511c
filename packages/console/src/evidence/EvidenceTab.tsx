/** The tab Evidence of a Change. It is not built yet. */
import type { ReactNode } from "react"
import { Card } from "../ui/Card.tsx"

/** `candidateId` is the Candidate that is looked at; null while there is none. */
export default function EvidenceTab(_: { readonly changeId: string; readonly candidateId: string | null }): ReactNode {
  return <Card>This tab is not built yet.</Card>
}
