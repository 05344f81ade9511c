/** What apps print and throw in workerd, as an owner reads it. */
import type { AppLogLine } from "@pawl/core/app/AppLogs"
import { describe, expect, it } from "vitest"
import { compatibilityDate } from "../../../../../deploy/cloudflare/Scripts.ts"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../../e2e/kit/Flow.ts"

const printing = {
  "src/index.js": `export default {
  async fetch(request, env, ctx) {
    const { pathname } = new URL(request.url)
    if (pathname === "/much") for (let at = 0; at < 500; at++) console.log("line", at)
    if (pathname === "/") return new Response("quiet")
    console.warn("asked for", pathname, { of: ["one", 2] })
    if (pathname === "/throw") throw new TypeError("no cart")
    if (pathname === "/late") ctx.waitUntil(Promise.reject(new RangeError("too late")))
    return new Response("ok")
  }
}\n`
}

/** A script bound as the router is, which says of a version that it printed a line. */
export const tellers: ReadonlyArray<object> = [
  {
    name: "teller",
    compatibilityDate,
    modules: true,
    script: `export default { async fetch(request, env) {
      const { version, text, dropped } = JSON.parse(new URL(request.url).searchParams.get("told"))
      await env.CANONICAL.appPrinted(version, { lines: [{ level: "log", source: "console", text }], dropped })
      return new Response("told")
    } }`,
    serviceBindings: { CANONICAL: { name: "canonical", entrypoint: "ForRouters" } }
  }
]

/** Tests of what is kept of it, in an installation that has `tellers` beside it. */
export const printed = (installed: () => Installed): void => {
  describe("The logs of an app in workerd", () => {
    const linesOf = async (projectId: string) =>
      (await installed().api.get<{ items: ReadonlyArray<AppLogLine> }>(`/v1/projects/${projectId}/app/logs`)).items
    const told = (projectId: string, source: string) =>
      Flow.until(
        () => linesOf(projectId),
        (lines) => lines.some((line) => line.source === source)
      )

    it("have what it printed and what it threw, with the request and without its query, and go with it", async () => {
      const { api } = installed()
      const project = await Flow.createProject(api, "printing", Flow.source("", printing))
      const { url } = await Flow.liveApp(api, project.id, 0)
      const known = (await linesOf(project.id)).length
      expect((await api.page(`${url}throw?card=4111`)).status).toBe(502)
      const lines = (await told(project.id, "exception")).slice(known)
      const version = expect.stringMatching(new RegExp(`^${project.id}@[0-9a-f]{40}$`)) as string
      expect(lines.map(({ sequence: _, ...line }) => line)).toEqual([
        expect.objectContaining({
          channel: "production",
          level: "warn",
          source: "console",
          text: 'asked for /throw {"of":["one",2]}',
          version
        }),
        expect.objectContaining({
          channel: "production",
          level: "error",
          source: "exception",
          text: expect.stringMatching(/^GET \/throw: TypeError: no cart\n {4}at Object\.fetch \(index\.js:\d+:\d+\)$/),
          version
        })
      ])
      expect((await api.page(`${url}late`)).status).toBe(200)
      const late = await Flow.until(
        () => linesOf(project.id),
        (all) => all.some(({ text }) => text.includes("too late"))
      )
      expect(late.at(-1)).toMatchObject({ source: "exception", text: expect.stringMatching(/^Uncaught RangeError: /) })
      expect(JSON.stringify(late)).not.toContain("4111")
      await api.delete(`/v1/projects/${project.id}/app`)
      await Flow.until(
        () => linesOf(project.id),
        (all) => all.length === 0
      )
    })

    it("have nothing of an app that was removed, however late it is told, nor of one before", async () => {
      const { api } = installed()
      const project = await Flow.createProject(api, "gone")
      const path = `/v1/projects/${project.id}/app`
      await Flow.liveApp(api, project.id, 0)
      const tell = async (incarnation: number, text: string, dropped = 0) => {
        const version = { id: `${project.id}@of-a-test`, project: project.id, channel: "production", incarnation }
        const told = encodeURIComponent(JSON.stringify({ version, text, dropped }))
        expect((await installed().simulated().send("teller", `/?told=${told}`)).status).toBe(200)
        return (await linesOf(project.id)).map((line) => line.text)
      }
      expect(await tell(1, "lives")).toEqual(["lives"])
      // That lines were dropped is told a second later: the app is gone by then.
      const dropping = tell(1, "one of many", 5)
      await Flow.until(
        () => linesOf(project.id),
        (all) => all.some((line) => line.text === "one of many")
      )
      await api.delete(path)
      await dropping
      await Flow.until(
        () => linesOf(project.id),
        (all) => all.length === 0
      )
      expect(await tell(1, "late")).not.toContain("late")
      await api.post(path)
      await Flow.liveApp(api, project.id, 0)
      expect(await tell(1, "later")).toEqual([])
      expect(await tell(2, "lives again")).toEqual(["lives again"])
    })

    it("keep so many lines of a moment, say how many were dropped, and hold up no visitor", async () => {
      const { api } = installed()
      const project = await Flow.createProject(api, "talkative", Flow.source("", printing))
      const { url } = await Flow.liveApp(api, project.id, 0)
      for (const path of ["", "much", "", "much"]) expect((await api.page(url + path)).status).toBe(200)
      const lines = await told(project.id, "limit")
      const [dropped] = lines.filter(({ source }) => source === "limit")
      expect(dropped?.text).toMatch(/^\d+ lines dropped: of an app, 100 lines and 64 KiB a second are kept$/)
      expect(lines.find(({ source }) => source === "console")?.text).toMatch(/^line \d+$/)
    })
  })
}
