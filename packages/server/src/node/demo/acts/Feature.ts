/** A person's edit is verified, promoted and released. */
import {
  type Demo,
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

/** Act 2. Answers the address of the Candidate's preview. */
export const feature = async (demo: Demo, shop: Shop) => {
  const { api, timeline } = demo
  timeline.title("2. A person's edit is verified, promoted and released")
  const index = await sourceFile(demo, shop.projectId, "src/index.ts")
  const change = await timeline.step(
    "an edit of four files becomes a ChangeSet: code, a page, an asset and a test",
    () => openChange(demo, shop.projectId, "hours", "Show the opening hours", Story.openingHours(index))
  )
  const verified = await timeline.step(
    "the Candidate is composed and verified by executable checks",
    async () => {
      const result = await verify(demo, change)
      mustBeVerified(result)
      return result
    },
    ({ candidate, evidence }) => [candidate.id, ...proof(evidence)]
  )
  const preview = await timeline.step(
    "its preview is open on a host of its own",
    async () => {
      const answer = await api.get<{ preview: { url: string } }>(`/v1/candidates/${verified.candidate.id}/preview`)
      need(
        (await api.page(`${answer.preview.url}hours`)).text.includes("Opening hours"),
        "the preview does not show the page"
      )
      need((await api.page(`${shop.url}hours`)).status === 404, "production shows the page before it is promoted")
      return answer.preview
    },
    ({ url }) => [`${url}hours`]
  )
  const promoted = await timeline.step(
    "promotion moves the canonical generation from S0 to S1",
    async () => {
      const answer = await promote(demo, verified.candidate)
      need(
        answer.outcome === "promoted" && answer.generation === 1 && answer.tree === verified.candidate.tree,
        `unexpected: ${JSON.stringify(answer)}`
      )
      return answer
    },
    ({ commit, tree }) => [`commit ${commit}, tree ${tree}: the verified one`]
  )
  await timeline.step(
    "the release moves the pointer and probes through the router",
    async () => {
      const release = await released(demo, shop.projectId, promoted.releaseId!)
      need(release.status === "deployed", `the release is ${release.status}: ${release.reason}`)
      return release
    },
    (release) => [
      `bundle: ${release.bundleSource}`,
      ...release.probes.map((probe) => `${probe.path}: ${probe.detail}, expected ${probe.expected}`)
    ]
  )
  await timeline.step(
    "the new page is live",
    async () => {
      const page = await api.page(`${shop.url}hours`)
      need(page.status === 200 && page.text.includes("Opening hours"), `${shop.url}hours answered ${page.status}`)
      need((await api.page(`${shop.url}hours.svg`)).text.includes("<svg"), "the asset is not served")
    },
    () => [`${shop.url}hours`]
  )
  return preview.url
}
