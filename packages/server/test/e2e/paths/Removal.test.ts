import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

describe("Removal on a running server", () => {
  const folder = temporaryFolder()
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const remove = async (path: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`http://127.0.0.1:${server.port}${path}`, { method: "DELETE", headers })).status
  }
  const counts = async (url: string) => (await server.api.page(url)).text
  const counter = {
    "src/index.js": `export default { async fetch(request, env) {
      const count = Number((await env.DATA.get("count")) ?? 0) + 1
      await env.DATA.put("count", String(count))
      return new Response(String(count))
    } }\n`
  }

  it("takes a host away with the next request, gives it back with the next deploy, and keeps no data between", async () => {
    const { api } = server
    const project = await Flow.createProject(api, "coming-back", Flow.source("", counter))
    const { url } = await Flow.liveApp(api, project.id, 0)
    const first = Number(await counts(url))
    expect(Number(await counts(url))).toBe(first + 1)
    const path = `/v1/projects/${project.id}/app`
    expect(await remove(path)).toBe(202)
    expect((await api.page(url)).status).toBe(410)
    expect((await api.page(url.replace("//", "//v0000000--"))).status).toBe(410)
    await api.post(path)
    await Flow.liveApp(api, project.id, 0)
    // The probes of the first app left a higher count than the deploy of this one can.
    expect(await counts(url)).toBe("1")
  })

  it("archives a Project: 410 from the next request on, and nothing of it left on the disk but its evidence", async () => {
    const { api } = server
    const project = await Flow.createProject(api, "going-away")
    const { url } = await Flow.liveApp(api, project.id, 0)
    const change = await Flow.openChange(api, project.id, "one")
    await Flow.edit(api, change, { "verdict.txt": "good", "public/more.txt": "more" })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    expect(candidate.status).toBe("verified")
    const repository = join(folder.path, "repositories", project.id.slice(5, 7), project.id)
    expect(readdirSync(join(repository, "forks"))).toHaveLength(2)
    expect(await remove(`/v1/projects/${project.id}`)).toBe(202)
    expect((await api.page(url)).status).toBe(410)
    await Flow.until(
      () => api.get<{ project: { cleaned_at: string | null } }>(`/v1/projects/${project.id}`),
      (answer) => answer.project.cleaned_at !== null
    )
    expect(existsSync(repository)).toBe(false)
    expect((await api.page(url)).status).toBe(410)
    expect((await Flow.evidence(api, candidate.id)).length).toBe(2)
    expect((await api.refused(`/v1/candidates/${candidate.id}/promote`)).problem.code).toBe("project_archived")
  })
})
