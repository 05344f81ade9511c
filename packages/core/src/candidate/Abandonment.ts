/** Ends a Candidate whose verification died and was dismissed by a person, so that it can be asked for again. */
import { Effect } from "effect"
import type { Actor } from "../model/Actor.ts"
import { laneStepAfter, laneStepOf } from "../work/LaneWork.ts"
import { endRollback } from "../change/LostCandidate.ts"
import { decideAndCommit, demand } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import * as Time from "../primitives/Time.ts"
import { provisional } from "./Staleness.ts"

const givenUp = "its verification was given up"

/** Rejects a Candidate that is composing or verifying; leaves any other as it is. */
export const giveUp = (actor: Actor, candidateId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const candidate = yield* demand("candidate", candidateId)
      const { changeId, projectId, status } = candidate.record
      const trigger = status === "composing" ? "notComposable" : "checksFailed"
      const draft = Draft.begin(projectId, actor, yield* Time.now)
      // It has its verdict: it was retried, or ended meanwhile.
      if (!Draft.may(draft, "candidate", candidate, trigger)) return { answer: undefined }
      const change = yield* demand("change", changeId)
      const reason = change.record.kind === "rollback" ? givenUp : `${givenUp}: ask for it again with retry`
      const why = { reason, rejection: "verification_given_up" } as const
      const told = { changeId, reason, ...(yield* provisional(candidate.record)) }
      Draft.step(draft, "candidate", candidate, trigger, why, { "candidate.rejected": told })
      endRollback(draft, change, { candidateId, reason })
      Draft.send(draft, ...laneStepOf(change.record), ...(yield* laneStepAfter(change.record)))
      return { answer: undefined, commit: Draft.end(draft, { name: "GivingUp.giveUp" }) }
    })
  )
