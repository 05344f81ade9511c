/** Assistants of people at `/mcp`, whose tools ask the API from within the script. */
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../../e2e/kit/Flow.ts"
import { assistantAt } from "../../e2e/mcp/Assistant.ts"

type Call = Awaited<ReturnType<typeof assistantAt>>["call"]

/** All Projects that an assistant may see, page by page. */
const listed = async (call: Call): Promise<ReadonlyArray<{ readonly id: string }>> => {
  const found: Array<{ readonly id: string }> = []
  for (let cursor: string | undefined, more = true; more;) {
    const { structured } = await call("list_projects", { limit: 50, ...(cursor !== undefined && { cursor }) })
    found.push(...structured.projects)
    cursor = structured.nextCursor ?? undefined
    more = cursor !== undefined
  }
  return found
}

/** Tests of assistants at an installation. */
export const assistants = (installed: () => Installed): void => {
  describe("An assistant at /mcp in workerd", () => {
    const here = () => installed().origin.replace("localhost", "127.0.0.1")

    it.each(["auto", "legacy"] as const)("brings a goal to a verified Candidate (%s)", async (mode) => {
      const { api, owner } = installed()
      const project = await Flow.createProject(api, `assisted-${mode}`, Flow.source("one"))
      await Flow.liveApp(api, project.id, 0)
      const { call, client } = await assistantAt(here(), { mode, token: owner })
      const projects = await Flow.until(
        () => listed(call),
        (found) => found.some(({ id }) => id === project.id)
      )
      expect(projects).toContainEqual(expect.objectContaining({ id: project.id, status: "active" }))
      const opened = await call("open_change", {
        project: project.id,
        goal: "Say hello",
        budget: 1,
        clientRequestId: "one"
      })
      const change = opened.structured.change.id
      const files = { "public/hello.txt": "hello\n" }
      const sent = await call("submit_files", { change, message: "hello", files })
      const changeset = sent.structured.changeset.id
      expect((await call("read_diff", { changeset })).structured.diff).toContain("+hello")
      const candidate = (await call("request_candidate", { change })).structured.candidate.id
      expect((await call("wait", { candidate })).structured).toEqual({ status: "verified", reached: true })
      await client.close()
    })

    it("may what its token may, and is told what was refused in words", async () => {
      const { api } = installed()
      const { token } = await api.post<{ token: string }>("/v1/tokens", { name: "reads", scopes: ["read"] })
      const reader = await assistantAt(here(), { token })
      const { id } = await Flow.createProject(api, "read-only")
      await Flow.liveApp(api, id, 0)
      expect((await reader.call("get_project", { project: id })).structured.canonical.generation).toBe(0)
      const refused = await reader.call("open_change", { project: id, goal: "x", budget: 1, clientRequestId: "x" })
      expect([refused.isError, refused.text]).toEqual([true, expect.stringContaining("insufficient_scope")])
      const lost = await reader.call("get_project", { project: "proj_nothing" })
      expect([lost.isError, lost.text]).toEqual([true, expect.stringContaining("unknown_project")])
      await reader.client.close()
    })

    it("is nobody without a token, and no page of another origin", async () => {
      const post = (headers: Readonly<Record<string, string>>) =>
        fetch(`${here()}/mcp`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: "{}"
        })
      const nobody = await post({})
      expect([nobody.status, nobody.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="pawl"'])
      expect((await post({ authorization: "Bearer pawl_nobody" })).status).toBe(401)
      const authorization = `Bearer ${installed().owner}`
      expect((await post({ authorization, origin: "https://evil.example" })).status).toBe(403)
    })
  })
}
