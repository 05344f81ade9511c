/** `pawl rollback`. */
import { short, verification } from "./Candidates.ts"
import { wholeOf } from "./Numbers.ts"
import { promoting } from "./Promote.ts"
import { planLines } from "./RollbackLines.ts"
import { exitCodes, leadingTo, misused, Refused } from "./Refused.ts"
import { harmless } from "./Screen.ts"
import type { UserClient } from "./UserClient.ts"
import type { Run } from "./Verb.ts"
import { deadlineOf } from "./Waiting.ts"

const planOf = async (client: UserClient, id: string, targetGeneration: number, expectedGeneration: number) => {
  try {
    return (await client.ask("rollbacks.plan", { id, body: { targetGeneration, expectedGeneration } })).plan
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "unknown_generation") throw error
    throw leadingTo(error, [{ command: `pawl api GET /v1/projects/${id}/versions`, when: "to see which there are" }])
  }
}

/** A step forward to an older tree: asked for, checked, and with `--wait` promoted when nothing is owed. */
export const rollback: Run = async (session) => {
  const { again, client, has, person, project, tell, value, warn } = session
  const deadline = deadlineOf(value)
  const to = value("to")
  const named = to === undefined ? undefined : wholeOf(to, "generation: give one such as S12", "S")
  const id = await project.id()
  const { canonical } = await client().ask("projects.get", { id })
  if (canonical === null) throw new Refused("no_source", "the Project has no source", exitCodes.no)
  const head = canonical.generation
  const target = named ?? head - 1
  if (target < 0) throw misused("there is nothing before S0 to go back to")
  const plan = await planOf(client(), id, target, head)
  const lines = planLines(plan)
  if (has("yes")) for (const line of lines) tell(line)
  // Goals are strangers' words.
  const question = harmless(
    [...lines, `S${head + 1} will have the tree of S${target}; S${head} is live now. Roll back?`].join("\n")
  )
  if (
    !has("yes") &&
    !(await person.agrees(question, "give --yes", [{ command: again("--yes"), when: "that is what you want" }]))
  )
    throw new Refused("not_confirmed", "nobody said yes: nothing was sent", exitCodes.no)
  const reason = value("reason")
  const answer = await client().ask("rollbacks.create", {
    id,
    body: { targetGeneration: target, expectedGeneration: head, ...(reason === undefined ? {} : { reason }) }
  })
  if (reason !== undefined && answer.change.rollbackReason !== reason)
    warn("it was asked for already, and keeps the reason that it was given then")
  tell(`Change ${answer.change.id}: S${head + 1} will have the tree of S${target}`)
  const checked = await verification(session, answer.candidate, deadline)
  const { candidate } = await client().ask("candidates.get", { id: answer.candidate.id })
  if (candidate.status === "verified" && has("wait")) return promoting(session, candidate)
  return {
    ...checked,
    json: { change: answer.change, ...checked.json },
    text: [answer.change.id, candidate.id, candidate.status, short(candidate.tree)].join("\t")
  }
}
