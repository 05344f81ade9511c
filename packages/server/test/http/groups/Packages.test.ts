import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { lockText } from "@pawl/adapters-memory/MemoryPackageStore"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, newCandidate, newProject, startApi } from "../TestApi.ts"

describe("Packages", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  const sourceOf = (version: string) => {
    const manifest = JSON.stringify({ dependencies: { left: version } })
    return { "package.json": manifest, "package-lock.json": lockText(manifest, [{ name: "left", version }]) }
  }

  it("stand in the JSON of a Candidate's diff, also when the registry knows nothing of them, and its text is as it was", async () => {
    const { id } = await newProject(api, "packed")
    const { candidateId, changeSetId } = await newCandidate(api, id, "r1", sourceOf("1.0.0"))
    const { body } = await api.call("GET", `/v1/candidates/${candidateId}/diff`)
    expect(body.packages).toEqual([
      { name: "left", from: null, to: "1.0.0", dev: false, scripts: false, advisories: [] }
    ])
    expect(body.files.map(({ path }: { readonly path: string }) => path)).toEqual(["package-lock.json", "package.json"])
    const text = await api.call("GET", `/v1/candidates/${candidateId}/diff`, { headers: { accept: "text/plain" } })
    expect(text.text.startsWith("diff --git ")).toBe(true)
    expect((await api.call("GET", `/v1/changesets/${changeSetId}/diff`)).body.packages).toBeUndefined()
  })

  it("of a generation are listed as CycloneDX; of one that is not there nothing is", async () => {
    const { id } = await newProject(api, "listed")
    const list = await api.call("GET", `/v1/projects/${id}/versions/0/sbom`)
    expect([list.status, list.headers.get("content-type")]).toEqual([
      200,
      "application/vnd.cyclonedx+json; version=1.6"
    ])
    expect(list.body).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", components: [] })
    for (const n of ["1", "-1", "S0", "00", "9".repeat(40)])
      expectProblem(await api.call("GET", `/v1/projects/${id}/versions/${n}/sbom`), 404, "unknown_version")
    await api.call("DELETE", `/v1/projects/${id}/app`)
    await api.settle()
    const gone = await api.call("GET", `/v1/projects/${id}/versions/0/sbom`)
    expectProblem(gone, 404, "no_sbom", { generation: 0 })
    expect(gone.body.detail).toContain("No bundle of S0 is kept")
  })
})
