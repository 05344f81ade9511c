import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, newCandidate, newProject, source, startApi } from "../TestApi.ts"

describe("Removing and archiving over the API", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  it("removes an app with 202, again with the same, and shows it as removed until it is deployed again", async () => {
    const project = await newProject(api, "removed")
    const made = await newCandidate(api, project.id, "r1", { "a.txt": "new" })
    const path = `/v1/projects/${project.id}/app`
    expect((await api.call("GET", path)).body.app).toMatchObject({ status: "live", previews: [{ status: "live" }] })
    const removed = await api.call("DELETE", path)
    expect(removed).toMatchObject({
      status: 202,
      body: { app: { status: "removed", generation: null, commit: null, label: "removed", previews: [] } }
    })
    await api.settle()
    expect(await api.call("DELETE", path)).toMatchObject({ status: 202, body: { app: { status: "removed" } } })
    expect((await api.call("GET", path)).body).toMatchObject({
      enabled: true,
      app: { status: "removed", previews: [] }
    })
    expect((await api.call("GET", `/v1/candidates/${made.candidateId}/preview`)).status).toBe(404)
    const versions = await api.call("GET", `/v1/projects/${project.id}/versions`)
    expect(versions.body.items).toMatchObject([{ generation: 0, url: null }])
    expect(await api.call("POST", path)).toMatchObject({ status: 202, body: { app: { status: "building" } } })
    await api.settle()
    expect((await api.call("GET", path)).body.app).toMatchObject({ status: "live", generation: 0 })
  })

  it("says 404 unknown_app where there never was one", async () => {
    const { body } = await api.call("POST", "/v1/projects", { body: { slug: "appless" } })
    const answer = await api.call("DELETE", `/v1/projects/${body.project.id}/app`)
    expect(answer).toMatchObject({ status: 404, body: { code: "unknown_app" } })
  })

  it("archives with 202, again with the same, refuses work with 409 project_archived, and stays to be read", async () => {
    const project = await newProject(api, "archived")
    const { changeId, changeSetId, candidateId } = await newCandidate(api, project.id, "r1", { "a.txt": "new" })
    const path = `/v1/projects/${project.id}`
    const first = await api.call("DELETE", path)
    expect(first).toMatchObject({ status: 202, body: { project: { id: project.id, status: "archived" } } })
    await api.settle()
    const again = await api.call("DELETE", path)
    expect(again).toMatchObject({ status: 202, body: { project: { status: "archived" } } })
    expect(again.body.project.cleaned_at).toMatch(/^\d{4}-/)
    const refused = [
      ["POST", `${path}/changes`, { clientRequestId: "new", goal: "g", budget_usd: 1 }],
      ["POST", `/v1/changes/${changeId}/changesets`, { message: "m", files: { "b.txt": "b" } }],
      ["POST", `/v1/changes/${changeId}/candidates`, {}],
      ["POST", `/v1/candidates/${candidateId}/promote`, undefined],
      ["POST", `${path}/rollback`, { targetGeneration: 0, expectedGeneration: 0 }],
      ["POST", `${path}/app`, undefined],
      ["POST", `${path}/source`, { files: source }]
    ] as const
    for (const [method, url, body] of refused)
      expect([url, await api.call(method, url, { body })]).toMatchObject([
        url,
        { status: 409, body: { code: "project_archived", projectId: project.id } }
      ])
    const readable = [
      path,
      `${path}/app`,
      `${path}/versions`,
      `${path}/releases`,
      `${path}/changes`,
      `${path}/policy`,
      `/v1/changes/${changeId}`,
      `/v1/changes/${changeId}/candidates`,
      `/v1/candidates/${candidateId}`,
      `/v1/candidates/${candidateId}/evidence`,
      `/v1/changesets/${changeSetId}`
    ]
    for (const url of readable) expect([url, (await api.call("GET", url)).status]).toEqual([url, 200])
    // What was deleted is not there, and no fault of the server.
    for (const url of [`${path}/code`, `/v1/candidates/${candidateId}/diff`, `/v1/changesets/${changeSetId}/diff`])
      expect([url, (await api.call("GET", url)).status]).toEqual([url, 404])
    expect(await api.call("GET", `${path}/events?after=0`)).toMatchObject({
      status: 410,
      body: { code: "events_expired" }
    })
    expect((await api.call("DELETE", `${path}/app`)).body.app).toMatchObject({ status: "removed" })
    expect((await api.call("POST", "/v1/projects", { body: { slug: "archived" } })).body.code).toBe("slug_taken")
  })
})
