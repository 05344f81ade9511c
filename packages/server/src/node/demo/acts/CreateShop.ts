/** A shop goes live. */
import { type App, type Demo, need, type Shop, until } from "../Steps.ts"

/** Act 1: from a template to an app on its own host. */
export const createShop = async (demo: Demo): Promise<Shop> => {
  const { api, timeline } = demo
  timeline.title("1. A shop goes live")
  const project = await timeline.step("POST /v1/projects creates the Project from the template", async () => {
    const answer = await api.post<{ project: { id: string; slug: string } }>("/v1/projects", {
      slug: "shop",
      name: "The shop",
      template: "shop"
    })
    return answer.project
  })
  const app = await timeline.step(
    "S0 is built and served on its own host",
    async () => {
      const { app: live } = await until(
        () => api.get<{ app: App | null }>(`/v1/projects/${project.id}/app`),
        (answer) => answer.app !== null && answer.app.status !== "building",
        "the first build"
      )
      need(live?.status === "live", `the app is ${live?.status}`)
      const page = await api.page(live!.url)
      need(page.status === 200, `${live!.url} answered ${page.status}`)
      return live!
    },
    (live) => [live.url]
  )
  return { projectId: project.id, url: app.url }
}
