/** Ends a Candidate whose verification died and was dismissed by a person, so that it can be asked for again. */
import { Effect } from "effect"
import type { Actor } from "../model/Actor.ts"
import { endOfRollback } from "../change/WithoutCandidate.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import * as Lifecycle from "../model/Lifecycle.ts"
import * as Time from "../primitives/Time.ts"
import { CandidateLifecycle } from "../model/CandidateLifecycle.ts"

/** How the reason of such a Candidate begins. */
export const givenUp = "its verification was given up"

/** Rejects a Candidate that is composing or verifying; leaves any other as it is. */
export const giveUp = (actor: Actor, candidateId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const candidate = yield* demand("candidate", candidateId)
      const { changeId, projectId, status } = candidate.record
      const trigger = status === "composing" ? "notComposable" : "checksFailed"
      const next = Lifecycle.next(CandidateLifecycle, status, trigger)
      if (next._tag === "Failure") return { answer: undefined }
      const change = yield* demand("change", changeId)
      const reason = change.record.kind === "rollback" ? givenUp : `${givenUp}: ask for it again with retry`
      const now = yield* Time.now
      const end = endOfRollback(change, { candidateId, reason, now, actor })
      return {
        answer: undefined,
        commit: {
          name: "GivingUp.giveUp",
          projectId,
          writes: [
            Commit.update("candidate", candidate, { status: next.success, reason, updatedAt: now }),
            ...end.writes
          ],
          events: [
            { type: "candidate.rejected" as const, subject: candidateId, data: { changeId, reason }, actor },
            ...end.events
          ]
        }
      }
    })
  )
