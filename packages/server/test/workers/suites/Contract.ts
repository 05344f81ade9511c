/** The contract as the script of the API tells it: laid beside it when it was deployed, and made by no script. */
import { openApiDocument } from "@pawl/server/api/OpenApiDocument"
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"

/** Tests of the contract in an installation. */
export const contracts = (installed: () => Installed): void => {
  describe("The contract in workerd", () => {
    const ask = (path: string, options: RequestInit = {}) =>
      fetch(`${installed().origin.replace("localhost", "127.0.0.1")}${path}`, options)

    it("is the very document of a server on a machine, for anybody", async () => {
      const answer = await ask("/openapi.json", { headers: { "x-request-id": "from-a-caller" } })
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
      expect(answer.headers.get("x-request-id")).toBe("from-a-caller")
      expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument)))
    })

    it("has a page that leads there, and runs nothing of others", async () => {
      const answer = await ask("/docs")
      expect(answer.headers.get("content-type")).toMatch(/^text\/html/)
      expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none';/)
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/)
      expect(await answer.text()).toContain('href="/openapi.json"')
    })

    it("is only read", async () => {
      for (const path of ["/openapi.json", "/docs"]) {
        const head = await ask(path, { method: "HEAD" })
        expect([head.status, await head.text()]).toEqual([200, ""])
        const answer = await ask(path, { method: "POST" })
        expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"])
      }
    })

    it("is kept by who is told too little: a refusal names fields by it as everywhere", async () => {
      const answer = await ask("/v1/projects", {
        method: "POST",
        headers: { authorization: `Bearer ${installed().owner}`, "content-type": "application/json" },
        body: JSON.stringify({ name: 7 })
      })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ code: expect.stringMatching(/^invalid_/), issues: expect.anything() })
    })
  })
}
