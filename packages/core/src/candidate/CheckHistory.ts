/**
 * What the history is told of a Candidate's checks: that one is taken up, and that its evidence is there. It is for who
 * watches: no decision reads it, and a check has no record of its own.
 */
import { Schema } from "effect"
import type { Mark } from "../ledger/Commit.ts"
import { system } from "../model/Actor.ts"
import type { Candidate } from "../model/Candidate.ts"
import type { Check } from "../model/Plan.ts"
import * as JournalStep from "../work/JournalStep.ts"
import { commitStep } from "../work/Processes.ts"

/** Who runs checks. */
export const verification = system("verification")

/** A step of a check, which the history finds by the Candidate and the check. */
export const markOf = (
  { changeId, id }: Pick<Candidate, "changeId" | "id">,
  checkId: string,
  step: Pick<Mark, "from" | "to" | "reason">
): Mark => ({ changeId, kind: "check", id: `${id}/${checkId}`, ...step })

/** A check was taken up. Named by the check and the version of the Policy that it was planned under. */
export const begunStep = JournalStep.each("begun:check", Schema.Null)

/** Tells once that a check is taken up; it may still wait for a sandbox. A retry begins where the failure before it ended. */
export const begin = (name: string, { id }: Check, candidate: Candidate, isRetry: boolean) =>
  commitStep(
    begunStep(name),
    {
      name: "Verification.check",
      projectId: candidate.projectId,
      actor: verification,
      marks: [
        isRetry
          ? markOf(candidate, id, { from: "finished", to: "started", reason: "once more: it failed" })
          : markOf(candidate, id, { from: null, to: "started", reason: null })
      ]
    },
    null
  )
