/** An edit of the template `react` on a real server, over HTTP, from the Candidate's request to the live page. */
import type { DemoApi } from "@pawl/server/node/demo/DemoApi"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"

/** Milliseconds from the request of the Candidate to the page; `index` is the template's index.html. */
export const takeLive = async (api: DemoApi, slug: string, index: string): Promise<number> => {
  const { project } = await api.post<{ project: { id: string } }>("/v1/projects", { slug, template: "react" })
  const { url } = await Flow.liveApp(api, project.id, 0)
  const change = await Flow.openChange(api, project.id, "title")
  await Flow.edit(api, change, { "index.html": index.replace("<title>Notes<", "<title>Marks<") })
  const began = performance.now()
  const { id } = await Flow.requestCandidate(api, change)
  const { reason, status } = await Flow.gated(api, id)
  if (status !== "verified") throw new Error(`the Candidate is ${status}: ${reason}`)
  await Flow.promote(api, id)
  await Flow.until(
    () => api.page(url),
    ({ status: code, text }) => code === 200 && text.includes("Marks")
  )
  const live = performance.now()
  await Flow.released(api, project.id, 1)
  return live - began
}
