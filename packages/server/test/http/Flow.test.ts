import * as Commit from "@pawl/core/ledger/Commit"
import { demand } from "@pawl/core/ledger/Decision"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "./ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "./TestApi.ts"

describe("From an edit to a live generation, over HTTP", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  it("shows a Candidate its own preview alone, also when another one's id begins alike", async () => {
    const project = await newProject(api, "twins")
    const { candidateId } = await newCandidate(api, project.id, "r1", { "a.txt": "a" })
    const twinId = `${candidateId.slice(0, 13)}${"0".repeat(16)}` as `cand_${string}`
    await api.run(
      Effect.gen(function* () {
        const { record } = yield* demand("candidate", candidateId)
        const twin = { ...record, id: twinId, lineage: twinId, status: "composing" as const }
        const writes = [Commit.insert("candidate", twin)]
        yield* (yield* Ledger).commit({ name: "test", projectId: project.id, writes })
      })
    )
    const preview = await api.call("GET", `/v1/candidates/${candidateId}/preview`)
    expect(preview).toMatchObject({ status: 200, body: { preview: { candidateId } } })
    expectProblem(await api.call("GET", `/v1/candidates/${twinId}/preview`), 404, "unknown_preview")
  })

  it("takes a change from its opening to canonical, and shows every step on the way", async () => {
    const project = await newProject(api, "corner")
    const before = await api.call("GET", `/v1/projects/${project.id}`)
    expect(before.body).toMatchObject({ project: { slug: "corner", status: "active" }, canonical: { generation: 0 } })

    const { changeId, changeSetId, candidateId } = await newCandidate(api, project.id, "r1", {
      "src/index.js": "export default { fetch: () => new Response('two') }"
    })
    const candidate = await api.call("GET", `/v1/candidates/${candidateId}`)
    expect(candidate.body.candidate.status).toBe("verified")

    const evidence = await api.call("GET", `/v1/candidates/${candidateId}/evidence?output=true`)
    expect(evidence.body.items.map((row: { checkId: string }) => row.checkId).sort()).toEqual(["build", "test"])
    const tested = evidence.body.items.find((row: { checkId: string }) => row.checkId === "test")
    expect(tested).toMatchObject({
      status: "checked_supported",
      result: "pass",
      output: "all tests ran",
      outputTruncated: false
    })
    const output = await api.call("GET", `/v1/evidence/${tested.id}/output`)
    expect(output.headers.get("content-type")).toMatch(/^text\/plain/)
    expect(output.text).toBe("all tests ran")

    const preview = await api.call("GET", `/v1/candidates/${candidateId}/preview`)
    expect(preview.body.preview).toMatchObject({
      status: "live",
      previewId: candidateId.slice(5, 13),
      url: `http://${candidateId.slice(5, 13)}--corner.apps.localhost/`
    })

    const asJson = await api.call("GET", `/v1/candidates/${candidateId}/diff`)
    expect(asJson.body.files).toMatchObject([{ path: "src/index.js", status: "modified", additions: 1, deletions: 1 }])
    const asText = await api.call("GET", `/v1/changesets/${changeSetId}/diff`, { headers: { accept: "text/plain" } })
    expect(asText.headers.get("content-type")).toMatch(/^text\/plain/)
    expect(asText.text).toContain("+export default { fetch: () => new Response('two') }")

    const ofChangeSet = await api.call(
      "GET",
      `/v1/projects/${project.id}/code?changeset=${changeSetId}&path=src/index.js`
    )
    expect(ofChangeSet.body.text).toContain("'two'")

    const promoted = await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    expect(promoted).toMatchObject({
      status: 200,
      body: { outcome: "promoted", generation: 1, sourceSynced: true, releaseId: `rel_${project.id}_1` }
    })
    const again = await api.call("POST", `/v1/candidates/${candidateId}/promote`)
    expect(again).toMatchObject({ status: 200, body: { outcome: "alreadyPromoted", generation: 1 } })
    await api.settle()

    expect((await api.call("GET", `/v1/changes/${changeId}`)).body.change.status).toBe("completed")
    const versions = await api.call("GET", `/v1/projects/${project.id}/versions`)
    expect(versions.body.items.map((each: { generation: number; url: string }) => [each.generation, each.url])).toEqual(
      [
        [1, "http://v0000001--corner.apps.localhost/"],
        [0, "http://v0000000--corner.apps.localhost/"]
      ]
    )
    const releases = await api.call("GET", `/v1/projects/${project.id}/releases`)
    expect(releases.body.items).toMatchObject([{ generation: 1, status: "deployed" }])
    const app = await api.call("GET", `/v1/projects/${project.id}/app`)
    expect(app.body).toMatchObject({
      enabled: true,
      app: {
        status: "live",
        url: "http://corner.apps.localhost/",
        label: "corner",
        generation: 1,
        previews: [{ candidateId }]
      }
    })
    const code = await api.call("GET", `/v1/projects/${project.id}/code`)
    expect(code.body.entries).toContainEqual({ path: "src/index.js", type: "file", size: 51 })
    const file = await api.call(
      "GET",
      `/v1/projects/${project.id}/code?tree=${versions.body.items[1].tree}&path=src/index.js`
    )
    expect(file.body.text).toContain("'one'")
  })
})
