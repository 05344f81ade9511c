/** Frames of changes of state: what is told of a row of a history, and of a Project as a whole. */
import type { Move } from "@pawl/core/ledger/History"
import * as Time from "@pawl/core/primitives/Time"

/** What is told of one change. */
export interface StateFrame {
  /** Milliseconds since 1970 by the store's clock: where a reader goes on. Several may have the same. */
  readonly sequence: number
  readonly projectId: string
  /** As in the history; `project` for one that came, went, or of which something was left out. */
  readonly kind: string
  readonly id: string
  readonly to: string
  readonly changeId: string | null
}

/** What a row tells. */
export const framesOf = ({ at, changeId, projectId, transitions }: Move): ReadonlyArray<StateFrame> =>
  transitions.map(({ id, kind, to }) => ({ sequence: Time.toMillis(at), projectId, kind, id, to, changeId }))

/** What is told of a Project itself. */
export const ofProject = (projectId: string, to: "appeared" | "gone" | "moved", sequence: number): StateFrame => ({
  sequence,
  projectId,
  kind: "project",
  id: projectId,
  to,
  changeId: null
})

/**
 * What rows tell that came behind a reader's marks (the last position of each Project that it knows), which move on. Where
 * rows between are gone, because a store keeps the newest alone, it is told that the Project has moved.
 */
export const told = (marks: Map<string, number>, moves: ReadonlyArray<Move>): ReadonlyArray<StateFrame> =>
  moves.flatMap((move) => {
    const { at, position, projectId } = move
    const before = marks.get(projectId) ?? 0
    marks.set(projectId, Math.max(position, before))
    const lacking = position > before + 1 ? [ofProject(projectId, "moved", Time.toMillis(at))] : []
    return [...lacking, ...framesOf(move)]
  })
