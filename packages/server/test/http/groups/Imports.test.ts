import { layerMemory, type MemoryOrigins } from "@pawl/adapters-memory/MemorySourceImport"
import { ImportUnavailable } from "@pawl/core/project/SourceImport"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expectProblem } from "../ExpectProblem.ts"
import { type Api, source, startApi } from "../TestApi.ts"

const git = "https://git.test/team/app"
const origins: MemoryOrigins = { repositories: new Map([[git, new Map([["main", source]])]]), fault: null }
let api: Api
beforeAll(async () => {
  api = await startApi({ agents: layerMemory(origins, ["git.test"]) })
})
afterAll(() => api.close())

const create = (body: unknown) => api.call("POST", "/v1/projects", { body })

describe("A Project that begins with a repository elsewhere", () => {
  it("has its files as S0, as one with files has", async () => {
    const { body, status } = await create({ slug: "imported", import: { git } })
    expect(status).toBe(201)
    const code = await api.call("GET", `/v1/projects/${body.project.id}/code?path=result.txt`)
    expect(code.body).toMatchObject({ text: "fine" })
  })

  it("may get its source later", async () => {
    const { body } = await create({ slug: "later" })
    const path = `/v1/projects/${body.project.id}/source`
    expect((await api.call("POST", path, { body: { import: { git } } })).status).toBe(201)
    expectProblem(await api.call("POST", path, { body: { import: { git } } }), 409, "has_source")
  })

  it("names one beginning, and a repository by text alone", async () => {
    expectProblem(await create({ slug: "two", template: "shop", import: { git } }), 400, "invalid_field", {
      field: "template"
    })
    expectProblem(await create({ slug: "two", files: source, import: { git } }), 400, "invalid_field", {
      field: "import"
    })
    expectProblem(await create({ slug: "two", import: { git: 7 } }), 400, "invalid_field")
  })

  it("is not made when the repository is refused or away, and its slug stays free", async () => {
    expectProblem(await create({ slug: "free", import: { git: "https://elsewhere.test/a" } }), 400, "import_refused", {
      field: "import"
    })
    origins.fault = new ImportUnavailable({ reason: "it took too long" })
    expectProblem(await create({ slug: "free", import: { git } }), 503, "import_unavailable")
    origins.fault = null
    expect((await create({ slug: "free", import: { git } })).status).toBe(201)
  })
})

describe("A server that is given no host", () => {
  it("imports nothing", async () => {
    const bare = await startApi()
    try {
      const answer = await bare.call("POST", "/v1/projects", { body: { slug: "bare", import: { git } } })
      expectProblem(answer, 400, "import_refused")
    } finally {
      await bare.close()
    }
  })
})
