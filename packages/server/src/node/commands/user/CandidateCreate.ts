/** `pawl candidate create`. */
import { candidateNow, verification } from "./Candidates.ts"
import type { Run } from "./Verb.ts"
import { deadlineOf } from "./Waiting.ts"

/** Asks for it and waits for its checks. */
export const create: Run = async (session) => {
  const {
    client,
    given: [changeId = ""],
    has,
    value
  } = session
  const deadline = deadlineOf(value)
  const { candidate } = await client().ask("candidates.create", {
    id: changeId,
    body: has("retry") ? { retry: true } : {}
  })
  return has("no-wait") ? candidateNow(client(), candidate) : verification(session, candidate, deadline)
}
