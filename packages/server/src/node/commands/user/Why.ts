/** `pawl why`. */
import { ServerLimits } from "../../../ServerLimits.ts"
import { inVerbs, verbsOf } from "../RequestVerbs.ts"
import { historyLines, whyLines } from "../WhyLines.ts"
import { candidateNamed } from "./Candidates.ts"
import { everyItem } from "./Pages.ts"
import type { Next } from "./Refused.ts"
import type { Answer } from "./Routes.ts"
import type { UserClient } from "./UserClient.ts"
import type { Run } from "./Verb.ts"

/** What the server's sentence names, and what it leaves to whoever reads it. */
const nextOf = ({ approval, candidate, change, lane, next }: Answer<"candidates.why">): ReadonlyArray<Next> => {
  const named = verbsOf(next)
  const owed = approval.owed && approval.decision === null && lane === null
  const approve = { command: `pawl approve ${change.id}`, when: "you may approve" }
  if (owed && !named.some(({ command }) => command === approve.command)) return [...named, approve]
  // What failed in a lane may have failed for others.
  return candidate.status === "rejected" && lane === null && named.length === 0
    ? [{ command: `pawl push <files> -m "…" --change ${change.id}`, when: "it is mended" }]
    : named
}

/** The newest steps, the first of them first, and whether older ones are left out. */
const historyOf = async (client: UserClient, id: string) => {
  const most = ServerLimits.whySteps
  const found = await everyItem(
    (cursor) => client.ask("history.ofChange", { id, query: { order: "newest", limit: 100, cursor } }),
    most + 1
  )
  return { history: found.slice(0, most).toReversed(), hasMoreHistory: found.length > most }
}

/** It answers, whatever the Candidate's fate: 0. */
export const why: Run = async ({ client, given: [name = ""], warn }) => {
  const id = name.startsWith("chg_") ? (await candidateNamed(client(), name)).id : name
  const answer = await client().ask("candidates.why", { id })
  const { hasMoreHistory, history } = await historyOf(client(), answer.change.id)
  if (hasMoreHistory)
    warn(
      `${answer.change.id} has more than ${ServerLimits.whySteps} steps: the newest ${ServerLimits.whySteps} are shown`
    )
  const todo = inVerbs(answer.next)
  return {
    json: { ...answer, history, hasMoreHistory, todo },
    text: [...whyLines(answer), ...historyLines(history, answer), `Next: ${todo}`].join("\n"),
    next: nextOf(answer)
  }
}
