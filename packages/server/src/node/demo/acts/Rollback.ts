/** Back to an earlier tree, as a step forward. */
import { type Demo, mustBeVerified, need, promote, proof, released, type Shop, verification } from "../Steps.ts"
import type { CandidateJson, ChangeJson } from "../../../api/RecordSchemas.ts"

/** Act 8: the tree of `good` comes back as the generation after `failed`, and the stored bundle is served. */
export const rollback = async (demo: Demo, shop: Shop, from: { readonly failed: number; readonly good: number }) => {
  const { api, timeline } = demo
  timeline.title("8. A rollback is a step forward")
  const verified = await timeline.step(
    `POST …/rollback asks for the tree of S${from.good} on top of S${from.failed}`,
    async () => {
      const asked = await api.post<{ change: ChangeJson; candidate: CandidateJson }>(
        `/v1/projects/${shop.projectId}/rollback`,
        { targetGeneration: from.good, expectedGeneration: from.failed }
      )
      const result = await verification(demo, asked.candidate.id)
      mustBeVerified(result)
      return result
    },
    ({ candidate, evidence }) => [candidate.id, ...proof(evidence)]
  )
  await timeline.step(
    "it promotes as any other, and serves the bundle that is stored: nothing is built, nothing is deleted",
    async () => {
      const promoted = await promote(demo, verified.candidate)
      need(promoted.generation === from.failed + 1, `canonical is at S${promoted.generation}`)
      const release = await released(demo, shop.projectId, promoted.releaseId!)
      need(release.status === "deployed", `the release is ${release.status}: ${release.reason}`)
      need(release.bundleSource === "stored" || release.bundleSource === "same_tree", `bundle: ${release.bundleSource}`)
      need((await api.page(`${shop.url}sale`)).status === 404, "the page that failed is still there")
      need((await api.page(`${shop.url}hours`)).status === 200, "the page that was good is gone")
      return release
    },
    (release) => [`S${release.generation} has the tree of S${from.good}; bundle: ${release.bundleSource}`]
  )
}
