/** A budget stops the work, and the work goes on where it stopped. */
import type { ChangeJson } from "../../../api/RecordSchemas.ts"
import type { ScriptedModel } from "../ScriptedModel.ts"
import { type Demo, need, type Shop, until } from "../Steps.ts"
import * as Teams from "../Teams.ts"
import { costOf, goLive, openGoal, verifiedCandidate } from "./Goal.ts"

/** Act 11: not a cent more than the budget, and nothing is paid twice. */
export const budgetStop = async (demo: Demo, shop: Shop, model: ScriptedModel) => {
  const { api, timeline } = demo
  timeline.title("11. A budget stops the work, and it goes on after a raise (a scripted model)")
  model.follow(Teams.costly)
  const change = await openGoal(demo, shop, "Say thanks to whoever buys something", 0.09)
  await timeline.step(
    "no call is made that the budget has no money for",
    async () => {
      const { change: stopped } = await until(
        () => api.get<{ change: ChangeJson }>(`/v1/changes/${change.id}`),
        (answer) => answer.change.status === "budget_blocked",
        "the end of the budget"
      )
      need(stopped.spent_usd <= stopped.budget_usd, `$${stopped.spent_usd} is more than $${stopped.budget_usd}`)
      return [`${stopped.status}: ${stopped.reason}`, await costOf(demo, change.id)]
    },
    (lines) => lines
  )
  await timeline.step(
    "a person raises it: the agent goes on at the turn where it stopped",
    async () => {
      await api.post(`/v1/changes/${change.id}/budget`, { budget_usd: 1 })
      const how = await goLive(demo, shop, await verifiedCandidate(demo, change.id))
      return [how, await costOf(demo, change.id)]
    },
    (lines) => lines
  )
}
