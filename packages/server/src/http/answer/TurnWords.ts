/** What to do about a Candidate that stands in the lane, in one sentence for somebody who asks over HTTP. */
import type { Turn } from "@pawl/core/why/WhyTurn"

type InLane = Extract<Turn, { readonly code: "in_lane" }>

const about = (reason: string | undefined): string => (reason === undefined || reason === "" ? "" : ` (${reason})`)

/** Of one that waits for nothing: what the lane is about to do. */
const atOnce: Readonly<Partial<Record<InLane["state"], string>>> = {
  ready: "it stands first in the lane, and lands now",
  doubtful: "it failed and stands first in the lane, which rejects it now if that was on canonical itself"
}

const behind = ({ position, state }: InLane, changeId: string): string =>
  state === "doubtful"
    ? `it failed on a prediction, and that counts only when it stands first on canonical. ${changeId} is decided before it`
    : `it stands ${position} in the lane, and ${changeId} is decided before it`

const waited = (next: InLane): string => {
  const { changeId = "another Change", for: what, paths = [], reason, until } = next.waits ?? { for: null }
  switch (what) {
    case "ahead":
      return behind(next, changeId)
    case "conflict":
      return `it does not merge with ${changeId}, which stands before it in the lane${about(paths.join(", "))}. It is made anew by itself when that one has landed or left`
    case "freeze":
      return `nothing is promoted until ${until ?? "the end of the freeze"}${about(reason)}. Then it lands by itself when it stands first in the lane`
    case "rollback":
      return `the rollback ${changeId} goes before all in the lane. When that one was promoted or cancelled it goes on`
    case "slot":
      return `the lane has it composed and checked as soon as a worker and a sandbox are free${about(reason)}`
    case "budget":
      return "today's builds or the month's sandbox time are used up, or kept for those before it in the lane, which looks again each hour"
    case "blocked":
      return `its turn has come, and its promotion would be refused${about(reason)}: the lane makes that good by itself`
    default:
      return atOnce[next.state] ?? "the lane looks at it at once"
  }
}

/** One sentence for each code of a `Turn` that is said of no other Candidate. */
export const turnInWords = (next: Exclude<Turn, { readonly code: "decide" | "replaced" }>): string => {
  switch (next.code) {
    case "in_lane":
      return `Wait: ${waited(next)}.`
    case "lane_paused":
      return `The lane is paused${about(next.reason ?? undefined)}, and it lands when its turn comes after that. Who may promote has it go on: POST /v1/projects/${next.projectId}/lane/resume.`
    case "land":
      return `Have it land: POST /v1/changes/${next.changeId}/land. Its Policy does not let it out by itself, and nobody has asked for it.`
  }
}
