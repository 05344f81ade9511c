/** `pawl approve` and `pawl reject`. */
import { candidateNamed, short } from "./Candidates.ts"
import { consented } from "./Consented.ts"
import type { Outcome, Run, Session } from "./Verb.ts"

const decide = async (session: Session, decision: "granted" | "rejected", verb: string): Promise<Outcome> => {
  const {
    client,
    given: [name = ""],
    value,
    warn
  } = session
  const note = value("note")
  const candidate = await candidateNamed(client(), name)
  await consented(session, verb, candidate)
  const { approval } = await client().ask("approvals.approve", {
    id: candidate.changeId,
    body: { candidateId: candidate.id, decision, ...(note === undefined ? {} : { note }) }
  })
  if (note !== undefined && approval.note !== note) warn("it was decided already, and keeps the note of then")
  return {
    json: { approval },
    text: `${approval.decision}\t${approval.id}\t${candidate.id}\t${short(candidate.tree)}`,
    next: decision === "granted" ? [{ command: `pawl promote ${candidate.changeId}`, when: "it is to go live" }] : []
  }
}

/** Grants the tree that was named or agreed to. */
export const approve: Run = (session) => decide(session, "granted", "Approve")

/** Rejects it, which is final. */
export const reject: Run = (session) => decide(session, "rejected", "Reject")
