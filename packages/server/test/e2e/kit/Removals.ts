/** Removal and archive over HTTP, for any installation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "./Flow.ts"
import type { Running } from "./MainPaths.ts"

const counter = {
  "src/index.js": `export default { async fetch(request, env) {
    const count = Number((await env.DATA.get("count")) ?? 0) + 1
    await env.DATA.put("count", String(count))
    return new Response(String(count))
  } }\n`
}

/** Sends a DELETE, and answers the status. */
export const remove = async ({ origin, token }: Pick<Running, "origin" | "token">, path: string): Promise<number> => {
  const response = await fetch(`${origin}${path}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${token}` }
  })
  await response.body?.cancel()
  return response.status
}

/** Tests of removal on what `start` starts. */
export const removals = (name: string, start: () => Promise<Running>): void => {
  describe(`Removal on ${name}`, () => {
    let server: Running

    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server.stop())

    const counts = async (url: string) => (await server.api.page(url)).text

    it("takes a host away with the next request, gives it back with the next deploy, and keeps no data between", async () => {
      const { api } = server
      const project = await Flow.createProject(api, "coming-back", Flow.source("", counter))
      const { url } = await Flow.liveApp(api, project.id, 0)
      const first = Number(await counts(url))
      expect(Number(await counts(url))).toBe(first + 1)
      const path = `/v1/projects/${project.id}/app`
      expect(await remove(server, path)).toBe(202)
      expect((await api.page(url)).status).toBe(410)
      expect((await api.page(url.replace("//", "//v0000000--"))).status).toBe(410)
      await api.post(path)
      await Flow.liveApp(api, project.id, 0)
      // The probes of the first app left a higher count than the deploy of this one can.
      expect(await counts(url)).toBe("1")
    })

    it("archives a Project: 410 from the next request on, its evidence stays, and nothing of it is promoted any more", async () => {
      const { api } = server
      const project = await Flow.createProject(api, "archived")
      const { url } = await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "one")
      await Flow.edit(api, change, { "public/more.txt": "more" })
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      expect(candidate.status).toBe("verified")
      expect(await remove(server, `/v1/projects/${project.id}`)).toBe(202)
      expect((await api.page(url)).status).toBe(410)
      await Flow.until(
        () => api.get<{ project: { cleaned_at: string | null } }>(`/v1/projects/${project.id}`),
        (answer) => answer.project.cleaned_at !== null
      )
      expect((await api.page(url)).status).toBe(410)
      expect((await Flow.evidence(api, candidate.id)).length).toBe(2)
      expect((await api.refused(`/v1/candidates/${candidate.id}/promote`)).problem.code).toBe("project_archived")
    })
  })
}
