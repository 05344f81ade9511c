import { endpoints } from "@pawl/server/http/index"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Answer, type Api, startApi } from "./TestApi.ts"

describe("The documentation", () => {
  let api: Api
  let openApi: Answer
  beforeAll(async () => {
    api = await startApi()
    openApi = await api.call("GET", "/openapi.json", { token: null })
  })
  afterAll(() => api.close())

  it("is OpenAPI 3.1 of every endpoint, each with what it is for and needs", () => {
    expect(openApi.body.openapi).toBe("3.1.0")
    for (const { method, path, need } of endpoints.filter(
      (each) => each.name.includes(".") && !each.name.startsWith("/")
    )) {
      const operation = openApi.body.paths[path.replace(/:([a-z]+)/g, "{$1}")]?.[method.toLowerCase()]
      expect([path, operation?.summary?.length > 0]).toEqual([path, true])
      expect(operation.security).toEqual(need === null ? [] : [{ bearer: [] }])
      if (need !== null) expect(operation.description).toContain(`\`${need.scope}\``)
    }
  })

  it("says of every error that it is a problem", () => {
    const operations: ReadonlyArray<{ responses: Record<string, { content: unknown }> }> = Object.values(
      openApi.body.paths
    ).flatMap((path) => Object.values(path as object))
    expect(operations.length).toBeGreaterThan(40)
    for (const { responses } of operations)
      for (const [status, response] of Object.entries(responses))
        if (Number(status) >= 400)
          expect(response.content).toEqual({
            "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } }
          })
    expect(Object.keys(openApi.body.components.schemas)).not.toContain("HttpApiDecodeError")
  })

  it("refers only to schemas that it has", () => {
    const names = Array.from(openApi.text.matchAll(/"#\/components\/schemas\/([^"]+)"/g), (match) => match[1])
    expect(names.filter((name) => !(name! in openApi.body.components.schemas))).toEqual([])
    expect(openApi.text).not.toContain("/schemas/unknown")
  })

  it("can be browsed without internet: the page loads nothing from elsewhere", async () => {
    const page = await api.call("GET", "/docs", { token: null })
    expect(page.status).toBe(200)
    expect(page.headers.get("content-type")).toMatch(/^text\/html/)
    expect(page.text).not.toMatch(/<(script|link|img|iframe)[^>]+(src|href)=["']?(https?:)?\/\//)
    const policy = page.headers.get("content-security-policy")
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*/)
    expect(page.text).toContain('"operationId":"candidates.promote"')
  })
})
