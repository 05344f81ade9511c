/** What somebody decides on or promotes: the exact tree, the digest of its diff, its base, its checks, its risk with the reasons, and its files. */
import type { ReactNode } from "react"
import { useDiff } from "../change/Queries.ts"
import type { Candidate, Why } from "../change/Records.ts"
import { Answered } from "../ui/Answered.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Id } from "../ui/Id.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Checks } from "./Checks.tsx"
import { DiffDigest } from "./DiffDigest.tsx"
import { Files } from "./Files.tsx"
import { riskReasons, riskTone, riskWords } from "./RiskWords.ts"

/** The risk, what it means, and each reason that the server gives. */
export const Risk = ({ candidate, why }: { readonly candidate: Candidate; readonly why: Why | null }): ReactNode => {
  const tier = candidate.plan_json?.riskTier ?? null
  if (tier === null) return "not judged yet"
  const reasons = riskReasons(candidate, why)
  return (
    <div className="risk">
      <span>
        <Tag tone={riskTone(tier)}>{tier}</Tag> {riskWords(tier)}
      </span>
      {reasons.length === 0 ? null : (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** All of it, within a dialog. */
export const Seen = ({ candidate, why }: { readonly candidate: Candidate; readonly why: Why | null }): ReactNode => {
  const diff = useDiff(candidate.id, candidate.commit !== null)
  const { base_generation: base, changeSets, id, tree } = candidate
  return (
    <>
      <Facts
        of={{
          Candidate: <Id id={id} label="Candidate" />,
          Tree: tree === null ? "not composed yet" : <Id id={tree} label="tree" />,
          Diff: <DiffDigest of={candidate} />,
          Generation: `on S${base}; promoted, it becomes S${base + 1}`,
          Holds: `${changeSets.length} ${changeSets.length === 1 ? "ChangeSet" : "ChangeSets"}`,
          Risk: <Risk candidate={candidate} why={why} />,
          Checks: why === null ? null : <Checks of={why.checks} />
        }}
      />
      <Answered query={diff} lines={3}>
        {({ files }) => <Files of={files} />}
      </Answered>
    </>
  )
}
