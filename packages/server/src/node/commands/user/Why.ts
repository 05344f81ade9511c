/** `pawl why`. */
import { historyLines, whyLines } from "../WhyLines.ts"
import { candidateNamed } from "./Candidates.ts"
import type { Next } from "./Refused.ts"
import type { Answer } from "./Routes.ts"
import type { Run } from "./Verb.ts"

const nextOf = ({ approval, blocks, candidate, change, lane }: Answer<"candidates.why">): ReadonlyArray<Next> => {
  if (approval.owed && approval.decision === null)
    return [{ command: `pawl approve ${change.id}`, when: "you may approve" }]
  // What is verified lands by itself there, and what failed may have failed for others.
  if (lane !== null) return []
  if (candidate.status === "verified" && blocks.length === 0)
    return [{ command: `pawl promote ${change.id}`, when: "it is to go live" }]
  return candidate.status === "rejected"
    ? [{ command: `pawl push <files> -m "…" --change ${change.id}`, when: "it is mended" }]
    : []
}

/** It answers, whatever the Candidate's fate: 0. */
export const why: Run = async ({ client, given: [name = ""] }) => {
  const id = name.startsWith("chg_") ? (await candidateNamed(client(), name)).id : name
  const answer = await client().ask("candidates.why", { id })
  const history = await client().ask("history.ofChange", { id: answer.change.id })
  return {
    json: { ...answer, history: history.items, todo: answer.next },
    text: [...whyLines(answer), ...historyLines(history.items, answer), `Next: ${answer.next}`].join("\n"),
    next: nextOf(answer)
  }
}
