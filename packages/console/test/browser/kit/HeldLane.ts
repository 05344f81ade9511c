/** A lane of a real server that stands as long as somebody looks: the check of the first in it does not end. */
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import * as Flow from "../../../../server/test/e2e/kit/Flow.ts"
import { type Entry, laned, lineOf } from "../../../../server/test/e2e/kit/LaneFacts.ts"
import type { ServerProcess } from "../../../../server/test/e2e/kit/ServerProcess.ts"

type Api = ServerProcess["api"]

/** Of the server: more run at once than wait. */
export const environment = { PAWL_SANDBOXES_AT_ONCE: "8" }

/** A tree may hold a file for which this fails at once, and one for which it goes on for longer than any test looks. */
const check = "if test -e broken.txt; then exit 1; fi; if test -e endless.txt; then sleep 3000; fi"

/** What stands there. */
export interface HeldLane {
  readonly id: string
  /** Verified outside of the lane, on canonical. */
  readonly past: { readonly change: ChangeJson; readonly candidate: CandidateJson }
  /** First in the lane, checked without an end. */
  readonly first: ChangeJson
  /** Made on the first. */
  readonly second: ChangeJson
  /** Made on the second; its check failed there. */
  readonly bad: ChangeJson
  /** Cannot be merged with the first. */
  readonly other: ChangeJson
}

/** The entry of a Change, once it stands as wanted. */
export const standing = async (api: Api, id: string, change: ChangeJson, is: (entry: Entry) => boolean) => {
  const of = ({ changeId }: Entry) => changeId === change.id
  const line = await Flow.until(
    () => lineOf(api, id),
    ({ entries }) => entries.some((entry) => of(entry) && is(entry))
  )
  return line.entries.find(of)!
}

/** A Change with a ChangeSet that somebody has land, once it stands as wanted. */
const landing = async (
  api: Api,
  id: string,
  goal: string,
  files: Readonly<Record<string, string>>,
  is: (entry: Entry) => boolean
): Promise<ChangeJson> => {
  const change = await Flow.openChange(api, id, goal)
  await Flow.edit(api, change, files)
  await api.post(`/v1/changes/${change.id}/land`, {})
  await standing(api, id, change, is)
  return change
}

/** Waits until the first check of what an entry's Candidate is has ended. */
const begun = async (api: Api, id: string, change: ChangeJson): Promise<void> => {
  const { candidateId } = await standing(api, id, change, (entry) => entry.candidateId !== undefined)
  await Flow.until(
    () => Flow.evidence(api, candidateId!),
    (rows) => rows.length > 0
  )
}

/** Five were verified, and four stand in the lane. */
export const heldLane = async (api: Api, slug: string): Promise<HeldLane> => {
  const { id } = await laned(api, slug, check)
  await api.put(`/v1/projects/${id}/policy`, { autoPromoteRiskTiers: [], approvalRiskTiers: [], lane: { mode: "on" } })
  const outside = await Promise.all(
    Array.from({ length: 5 }, async (_, n) => {
      const change = await Flow.openChange(api, id, `Past the lane ${n}`)
      await Flow.edit(api, change, { [`src/past-${n}.txt`]: `${n}` })
      return { change, candidate: await Flow.gated(api, (await Flow.requestCandidate(api, change)).id) }
    })
  )
  const running = ({ state }: Entry) => state === "running"
  const first = await landing(api, id, "Open on Sundays", { "endless.txt": "", "src/hours.txt": "7" }, running)
  await begun(api, id, first)
  const second = await landing(api, id, "Sell gift cards", { "src/cards.txt": "1" }, running)
  await begun(api, id, second)
  const doubtful = ({ state }: Entry) => state === "doubtful"
  const bad = await landing(api, id, "Break the shop", { "broken.txt": "" }, doubtful)
  const conflicting = ({ reason, state }: Entry & { readonly reason?: string | null }) =>
    state === "waiting" && typeof reason === "string"
  const other = await landing(api, id, "Open on Mondays", { "src/hours.txt": "1" }, conflicting)
  return { id, past: outside[0]!, first, second, bad, other }
}

/** One is ready in a lane, and a freeze holds it back, until then. */
export const frozenLane = async (api: Api, slug: string): Promise<{ readonly until: string }> => {
  const { id } = await laned(api, slug, check)
  const [from, until] = [-3_600_000, 7_200_000].map((ms) => new Date(Date.now() + ms).toISOString())
  const freezes = [{ from, until, reason: "the fair" }]
  await api.put(`/v1/projects/${id}/policy`, { approvalRiskTiers: [], lane: { mode: "on" }, freezes })
  await landing(api, id, "Wait for the fair", { "src/fair.txt": "1" }, ({ state }) => state === "ready")
  return { until: until! }
}
