/** Pausing a lane, and having it go on. What runs ends; nothing is composed and nothing lands meanwhile. */
import { Effect } from "effect"
import { refuseAgents } from "../access/Access.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import type { Actor } from "../model/Actor.ts"
import type { Lane } from "../model/Lane.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, unchangedProject } from "../project/ArchivedProject.ts"
import { laneStep } from "../work/LaneWork.ts"
import { touchLane } from "./LaneEnds.ts"
import { demandOn, laneIn } from "./LaneEntries.ts"
import { openEntries } from "./LaneReading.ts"

const changing = Effect.fnUntraced(function* (
  actor: Actor,
  projectId: string,
  state: Lane["state"],
  why: string | null
) {
  yield* refuseAgents(actor, "promote")
  const project = yield* demandActive(projectId)
  const policy = yield* demandOn(projectId)
  const draft = Draft.begin(projectId, actor, yield* Time.now)
  const lane = yield* laneIn(draft, project.record.id)
  if (lane.record.state === state) return { answer: lane.record }
  const fields = { state, pausedBy: state === "paused" ? actor : null, reason: why }
  Draft.expect(draft, unchangedProject(project), Commit.unchanged("policy", projectId, policy))
  touchLane(draft, lane, fields)
  if (state === "paused") Draft.emit(draft, "lane.paused", projectId, { reason: why ?? "" })
  else Draft.emit(draft, "lane.resumed", projectId, {})
  Draft.send(draft, laneStep(projectId))
  const answer = Draft.newest(draft, "lane", lane).record
  return { answer, commit: Draft.end(draft, { name: state === "paused" ? "Lane.pause" : "Lane.resume" }) }
})

/** Pauses a Project's lane; one that is paused stays as it is. Fails with `LaneOff`, `ProjectArchived` or `Unknown`. */
export const pause = (actor: Actor, projectId: string, reason: string) =>
  decideAndCommit(changing(actor, projectId, "paused", reason)).pipe(Effect.withSpan("Lane.pause"))

/** Has a paused lane go on. Fails with `LaneOff`, `ProjectArchived` or `Unknown`. */
export const resume = (actor: Actor, projectId: string) =>
  decideAndCommit(changing(actor, projectId, "running", null)).pipe(Effect.withSpan("Lane.resume"))

/** Has a Project's lane look at its line; nothing where nobody stands in it. */
export const lookAgain = (projectId: string) =>
  decideAndCommit(
    Effect.map(openEntries(projectId), (open) =>
      open.length === 0
        ? { answer: undefined }
        : { answer: undefined, commit: { name: "Lane.lookAgain", projectId, commands: [laneStep(projectId)] } }
    )
  )
