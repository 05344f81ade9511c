/** Two Tasks are right alone and wrong together: the Change mends itself. */
import type { CandidateJson } from "../../../api/RecordSchemas.ts"
import type { ScriptedModel } from "../ScriptedModel.ts"
import { type Demo, need, type Shop } from "../Steps.ts"
import * as Teams from "../Teams.ts"
import { goLive, openGoal, taskLines, verifiedCandidate } from "./Goal.ts"

/** Act 10: the first Candidate fails a test, and a repair of one Task mends it. */
export const plantedBug = async (demo: Demo, shop: Shop, model: ScriptedModel) => {
  const { api, timeline } = demo
  timeline.title("10. A planted bug is mended by the first repair (a scripted model)")
  model.follow(Teams.banner)
  const change = await openGoal(demo, shop, "Greet people with a banner that fits into one line", 5)
  const candidate = await timeline.step(
    "two agents do what each was told; together their work fails a test, and a repair Task mends it",
    () => verifiedCandidate(demo, change.id),
    ({ id }) => [id]
  )
  await timeline.step(
    "the first Candidate was rejected with what failed, the second is verified",
    async () => {
      const { items } = await api.get<{ items: ReadonlyArray<CandidateJson> }>(`/v1/changes/${change.id}/candidates`)
      const lines = await taskLines(demo, change.id)
      const made = items.map(({ changeSets, id, status }) => `${id} of ${changeSets.length} ChangeSets: ${status}`)
      need(items.some(({ status }) => status === "rejected") && items.length === 2, [...made, ...lines].join("\n"))
      need(
        lines.some((line) => line.startsWith("repair-1: completed")),
        lines.join("\n")
      )
      return lines
    },
    (lines) => lines
  )
  await timeline.step(
    "it goes live as any other",
    () => goLive(demo, shop, candidate),
    (how) => [how]
  )
}
