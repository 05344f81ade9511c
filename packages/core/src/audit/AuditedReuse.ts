/** Rows of evidence that repeat others: that each may, by the same rules as when it was written, and of the same check. */
import type { Candidate } from "../model/Candidate.ts"
import type { Evidence } from "../model/Evidence.ts"
import { canonicalJson } from "../primitives/Digest.ts"
import { reuseProblem } from "../verification/ReuseRules.ts"
import type { GenerationRecords } from "./AuditedRecords.ts"

/** What a plan says that a check is; undefined for one that it has not. */
const definitionIn = (candidate: Candidate | null, { checkId }: Evidence): string | undefined => {
  const check = candidate?.plan?.checks.find(({ id }) => id === checkId)
  if (check === undefined) return undefined
  const { base, command, inputs, kind, timeoutMs } = check
  const form = base === undefined ? null : { ...base, tree: candidate?.baseTree }
  return canonicalJson({ kind, command: command ?? null, inputs: inputs ?? null, timeoutMs, form })
}

/** In words, each row that must not repeat the one that it names. */
export const reuseDifferences = ({
  candidate,
  evidence,
  repeated
}: Pick<GenerationRecords, "candidate" | "evidence" | "repeated">): ReadonlyArray<string> =>
  evidence.flatMap((row) => {
    if (row.reuses === undefined) return []
    const earlier = repeated.get(row.reuses)
    if (earlier === undefined || earlier.row.projectId !== row.projectId)
      return [`${row.id} repeats ${row.reuses}, which is not there`]
    const problem = reuseProblem(row, earlier.row, candidate?.plan?.reuse)
    if (problem !== null) return [`${row.id} repeats ${row.reuses}: ${problem}`]
    const before = definitionIn(earlier.candidate, earlier.row)
    if (before === undefined || before !== definitionIn(candidate, row))
      return [`${row.id} repeats ${row.reuses}: its plan defines another check`]
    return row.outputKey === earlier.row.outputKey ? [] : [`${row.id} repeats ${row.reuses}: it has another output`]
  })
