/** What no test saw fails when it is live: the version before comes back. */
import {
  type App,
  type Demo,
  endOf,
  mustBeVerified,
  need,
  openChange,
  promote,
  proof,
  released,
  type Shop,
  sourceFile,
  verify
} from "../Steps.ts"
import * as Story from "../Story.ts"
import type { ChangeJson } from "../../../api/RecordSchemas.ts"

/** Act 7. Answers the generation that failed, the one that is served instead, and the Change. */
export const smokeFailure = async (demo: Demo, shop: Shop) => {
  const { api, timeline } = demo
  timeline.title("7. A failed smoke test brings the version before back")
  const before = await api.page(shop.url)
  const index = await sourceFile(demo, shop.projectId, "src/index.ts")
  const verified = await timeline.step(
    "a page that only works where its author tried it passes every check",
    async () => {
      const change = await openChange(demo, shop.projectId, "sale", "A sale", Story.sale(index))
      const result = await verify(demo, change)
      mustBeVerified(result)
      return result
    },
    ({ evidence }) => proof(evidence)
  )
  const release = await timeline.step(
    "its release fails the probe of the route that it added",
    async () => {
      const promoted = await promote(demo, verified.candidate)
      const ended = await released(demo, shop.projectId, promoted.releaseId!)
      need(ended.status === "smoke_failed", `the release is ${ended.status}`)
      need((await endOf(demo, verified.candidate.changeId)).status === "failed", "the Change did not fail")
      return ended
    },
    ({ probes }) => probes.map((probe) => `${probe.path}: ${probe.detail}, expected ${probe.expected}`)
  )
  await timeline.step(
    "the app serves what it served before; canonical keeps its generation",
    async () => {
      const { app } = await api.get<{ app: App }>(`/v1/projects/${shop.projectId}/app`)
      need(app.generation === release.replacedGeneration, `the app serves S${app.generation}`)
      const page = await api.page(shop.url)
      need(page.status === 200 && page.text === before.text, "the live app changed")
      const { canonical } = await api.get<{ canonical: { generation: number } }>(`/v1/projects/${shop.projectId}`)
      need(canonical.generation === release.generation, `canonical is at S${canonical.generation}`)
      return canonical
    },
    ({ generation }) => [`canonical S${generation}, live S${release.replacedGeneration}`]
  )
  return {
    failed: release.generation,
    good: release.replacedGeneration ?? 0,
    change: verified.candidate.changeId as ChangeJson["id"]
  }
}
