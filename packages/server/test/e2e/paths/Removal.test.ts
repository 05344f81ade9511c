import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { remove, removals } from "../kit/Removals.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

removals("a running server", async () => {
  const folder = temporaryFolder()
  const server = await startServer({ data: folder.path })
  const stop = async () => {
    await server.stop()
    folder.remove()
  }
  return { api: server.api, origin: server.origin, token, stop }
})

describe("An archived Project on a running server", () => {
  const folder = temporaryFolder()
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
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
    expect(await remove({ origin: server.origin, token }, `/v1/projects/${project.id}`)).toBe(202)
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
