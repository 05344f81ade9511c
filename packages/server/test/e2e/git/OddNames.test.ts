import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const odd = ["__proto__", "constructor", "toString", "hasOwnProperty"]
const text = (name: string, version: number) => `${name} ${version}\n`
const assets = (version: number): Readonly<Record<string, string>> =>
  Object.fromEntries(odd.map((name) => [`public/${name}`, text(name, version)]))
const atRoot = (version: number): Readonly<Record<string, string>> =>
  Object.fromEntries(odd.map((name) => [name, text(name, version)]))

describe("Files with names that every object has", () => {
  const folder = temporaryFolder()
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ data: folder.path })
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  it("are seeded, edited, built and served like any other", async () => {
    const { api } = server
    const files = Flow.source("odd", { ...assets(1), ...atRoot(1) })
    const project = await Flow.createProject(api, "odd", files)
    const { url } = await Flow.liveApp(api, project.id, 0)
    for (const name of odd) {
      expect(await api.page(`${url}${name}`)).toMatchObject({ status: 200, text: text(name, 1) })
      const code = await api.get<{ text: string }>(`/v1/projects/${project.id}/code?path=${name}`)
      expect(code.text).toBe(text(name, 1))
    }
    const change = await Flow.openChange(api, project.id, "two")
    const changeSet = await Flow.edit(api, change, { ...assets(2), ...atRoot(2) })
    expect(changeSet.files.map((file) => file.path).sort()).toEqual(
      [...Object.keys(assets(2)), ...Object.keys(atRoot(2))].sort()
    )
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    expect(candidate.status).toBe("verified")
    await Flow.promote(api, candidate.id)
    await Flow.released(api, project.id, 1)
    for (const name of odd) expect((await api.page(`${url}${name}`)).text).toBe(text(name, 2))
  })
})
