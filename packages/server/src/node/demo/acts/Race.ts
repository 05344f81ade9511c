/** Two Changes race for one base, promote themselves, and both end live. */
import type { Policy } from "@pawl/core/model/Policy"
import { askFor, type Demo, endOf, need, openChange, type Shop, sourceFile } from "../Steps.ts"
import * as Story from "../Story.ts"
import type { CandidateJson } from "../../../api/RecordSchemas.ts"

/** Act 4: the one that comes second is composed anew on the first. */
export const race = async (demo: Demo, shop: Shop) => {
  const { api, timeline } = demo
  timeline.title("4. Two Changes race, and both end live")
  await timeline.step(
    "the Policy lets Changes of low risk promote themselves",
    () =>
      api.put<{ policy: Policy }>(`/v1/projects/${shop.projectId}/policy`, {
        autoPromoteRiskTiers: ["low"],
        approvalRiskTiers: ["high"]
      }),
    ({ policy }) => [`Policy ${policy.version}: auto-promotion for ${policy.autoPromoteRiskTiers.join(", ")}`]
  )
  const style = await sourceFile(demo, shop.projectId, "public/style.css")
  const readme = await sourceFile(demo, shop.projectId, "README.md")
  const changes = await timeline.step(
    "a style and a document are changed on the same base, at once",
    async () => {
      const both = [
        await openChange(demo, shop.projectId, "colours", "Warmer colours", Story.warmerColours(style)),
        await openChange(demo, shop.projectId, "readme", "A friendlier readme", Story.friendlierReadme(readme))
      ] as const
      const asked = await Promise.all(both.map((change) => askFor(demo, change)))
      need(asked[0]!.base_generation === asked[1]!.base_generation, "the two are not on one base")
      return both
    },
    (both) => both.map((change) => `${change.id}: ${change.goal}`)
  )
  const made = await timeline.step(
    "one takes the generation; the other is stale, is composed anew on it, checked in full, and follows",
    async () => {
      for (const { id } of changes) {
        const { reason, status } = await endOf(demo, id)
        need(status === "completed", `the Change is ${status}: ${reason}`)
      }
      const lists = await Promise.all(
        changes.map(({ id }) => api.get<{ items: ReadonlyArray<CandidateJson> }>(`/v1/changes/${id}/candidates`))
      )
      const all = lists.flatMap(({ items }) => items)
      const statuses = all.map((candidate) => `${candidate.status} ${candidate.recomposition}`).toSorted()
      need(statuses.join() === "promoted 0,promoted 1,stale 0", `the Candidates are ${statuses.join(", ")}`)
      return all
    },
    (all) =>
      all.map((each) => `${each.id} on S${each.base_generation}: ${each.status}, recomposition ${each.recomposition}`)
  )
  await timeline.step(
    "both are live",
    async () => {
      need((await api.page(`${shop.url}style.css`)).text.includes("chocolate"), "the new style is not served")
      need((await sourceFile(demo, shop.projectId, "README.md")).includes("look around"), "the new readme is not there")
    },
    () => [`S${made.length}: ${shop.url}style.css`]
  )
}
