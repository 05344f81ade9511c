/** What an app keeps, over HTTP, for any installation. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DemoApi } from "@pawl/server/node/demo/DemoApi"
import * as Flow from "./Flow.ts"

/** An installation that can be killed and started again on what it kept. */
export interface Killable {
  readonly api: () => DemoApi
  readonly killAndRestart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** An app of a version that lists what it keeps, and keeps the key that `/put` names. */
export const keeper = (version: string) => ({
  "src/index.js": `export default { async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== "/put") return Response.json({ version: "${version}", ...(await env.DATA.list()) })
    await env.DATA.put(searchParams.get("key"), "v")
    return new Response("kept")
  } }\n`
})

/** The version of the app, and the keys that it keeps. */
export const keptAt = async (api: DemoApi, url: string): Promise<ReadonlyArray<string>> => {
  const { keys, version } = JSON.parse((await api.page(url)).text) as {
    readonly keys: ReadonlyArray<{ readonly name: string }>
    readonly version: string
  }
  return [version, ...keys.map(({ name }) => name)]
}

/** Tests of what apps keep on what `start` starts. */
export const keeps = (name: string, start: () => Promise<Killable>): void => {
  describe(`What an app keeps on ${name}`, () => {
    let server: Killable

    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server.stop())

    const put = async (url: string, key: string) =>
      expect((await server.api().page(`${url}put?key=${key}`)).text).toBe("kept")
    const kept = (url: string) => keptAt(server.api(), url)

    it("is apart for production, a preview and each version, outlives a release and a SIGKILL, and goes with the app", async () => {
      const api = server.api()
      const project = await Flow.createProject(api, "keeper", Flow.source("", keeper("one")))
      const { url } = await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "two")
      await Flow.edit(api, change, keeper("two"))
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      const { preview } = await api.get<{ preview: { url: string } }>(`/v1/candidates/${candidate.id}/preview`)
      const first = url.replace("//", "//v0000000--")
      await put(url, "production")
      await put(preview.url, "preview")
      await put(first, "first")
      expect(await kept(url)).toEqual(["one", "production"])
      expect(await kept(preview.url)).toEqual(["two", "preview"])
      expect(await kept(first)).toEqual(["one", "first"])

      await Flow.promote(api, candidate.id)
      await Flow.released(api, project.id, 1)
      const second = url.replace("//", "//v0000001--")
      await put(url, "released")
      expect(await kept(url)).toEqual(["two", "production", "released"])
      expect(await kept(second)).toEqual(["two"])

      // It may listen at another port now; the port that a host is asked for with does not count.
      await server.killAndRestart()
      expect(await kept(url)).toEqual(["two", "production", "released"])
      expect(await kept(preview.url)).toEqual(["two", "preview"])
      expect(await kept(first)).toEqual(["one", "first"])

      await server.api().delete(`/v1/projects/${project.id}/app`)
      for (const each of [url, preview.url, first, second]) expect((await server.api().page(each)).status).toBe(410)
      await server.api().post(`/v1/projects/${project.id}/app`)
      await Flow.liveApp(server.api(), project.id, 1)
      expect(await kept(url)).toEqual(["two"])
      expect(await kept(second)).toEqual(["two"])
      // What was removed is not revived: nothing stands at these hosts any more.
      for (const each of [preview.url, first]) expect((await server.api().page(each)).status).toBe(404)
    })
  })
}
