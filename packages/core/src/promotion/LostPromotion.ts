/** Ends a promotion whose command died and was dismissed by a person. */
import { Effect } from "effect"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Time from "../primitives/Time.ts"
import { laneStepOf } from "../work/LaneWork.ts"
import { putBack } from "./Canonical.ts"
import { snapshot } from "./Promotions.ts"

/**
 * The Change goes back to where it was, and the lane that it stands in goes on: whoever stands first there is sent to
 * land again.
 */
export const giveUp = (candidateId: string) =>
  decideAndCommit(
    Effect.gen(function* () {
      const read = yield* snapshot(candidateId)
      const { projectId } = read.candidate.record
      const back = putBack(read, yield* Time.now)
      const commands = laneStepOf(read.change.record)
      if (back === null && commands.length === 0) return { answer: undefined }
      return { answer: undefined, commit: { ...(back ?? { name: "Promotions.refused", projectId }), commands } }
    })
  )
