/** What the checks of a Candidate left behind, check by check. */
import type { ReactNode } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { CallOptions } from "../api/Wire.ts"
import { type Candidate, useCandidate } from "../candidate/CandidateQuery.ts"
import { NoCandidate } from "../candidate/NoCandidate.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Id } from "../ui/Id.tsx"
import { CheckCard } from "./CheckCard.tsx"
import { begunOf, checksOf, type Evidence, sumOf } from "./Checks.ts"
import "./evidence.css"

/** All rows: a Candidate has few. */
const evidenceOf = async (id: string, options: CallOptions): Promise<ReadonlyArray<Evidence>> => {
  const found: Array<Evidence> = []
  let cursor: string | null = null
  do {
    const query = { limit: 100, ...(cursor === null ? {} : { cursor }) }
    const page: { readonly items: ReadonlyArray<Evidence>; readonly nextCursor: string | null } =
      await api.candidates.evidence({ params: { id }, query }, options)
    found.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return found
}

/** Nothing but the checks of a Candidate moves in its Change while they run: they are among its newest steps. */
const useBegun = ({ changeId, id, status }: Candidate): ReadonlyMap<string, string> => {
  const begun = useAnswer(
    keys.ofCandidate(id, "begun"),
    async (options) => {
      const query = { limit: 100, order: "newest" } as const
      return begunOf((await api.history.ofChange({ params: { id: changeId }, query }, options)).items, id)
    },
    { enabled: status === "verifying" }
  )
  return begun.data ?? new Map()
}

const Shown = ({
  candidate,
  evidence
}: {
  readonly candidate: Candidate
  readonly evidence: ReadonlyArray<Evidence>
}): ReactNode => {
  const checks = checksOf(candidate, evidence, useBegun(candidate))
  if (checks.length === 0)
    return (
      <Card bare>
        <Empty icon="clock" title="No check has run">
          <p>{candidate.reason ?? "The Candidate is being composed. Its checks come after that."}</p>
        </Empty>
      </Card>
    )
  return (
    <div className="evidence-tab">
      <p>
        {sumOf(checks)}.
        {candidate.tree === null ? null : (
          <>
            {" "}
            Tree <Id id={candidate.tree} label="tree" />
          </>
        )}
      </p>
      {checks.map((check) => (
        <CheckCard key={check.id} candidateId={candidate.id} check={check} />
      ))}
    </div>
  )
}

const OfCandidate = ({ id }: { readonly id: string }): ReactNode => {
  const candidate = useCandidate(id)
  const evidence = useAnswer(keys.ofCandidate(id, "evidence", "all"), (options) => evidenceOf(id, options))
  return (
    <Answered query={candidate}>
      {(found) => <Answered query={evidence}>{(rows) => <Shown candidate={found} evidence={rows} />}</Answered>}
    </Answered>
  )
}

/** The tab. */
export default function EvidenceTab({
  candidateId
}: {
  readonly changeId: string
  readonly candidateId: string | null
}): ReactNode {
  return candidateId === null ? <NoCandidate what="evidence" /> : <OfCandidate key={candidateId} id={candidateId} />
}
