/** Many visitors of one app on a cold isolate of the router's script, of whom some leave early. */
import { request } from "node:http"
import { rounds } from "@pawl/testing/Depth"
import { describe, expect, it } from "vitest"
import * as Flow from "../../e2e/kit/Flow.ts"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"

/** Tests of many visitors of an installation. */
export const crowds = (installed: () => Installed): void => {
  describe("The router's script", () => {
    /** Answers the status, or null for a visitor who left. */
    const visit = (url: string, leaves: boolean): Promise<number | null> =>
      new Promise((resolve, reject) => {
        const { host, pathname, port } = new URL(url)
        const sent = request({ host: "127.0.0.1", port, path: pathname, headers: { host } }, (response) => {
          response.resume()
          response.once("end", () => resolve(response.statusCode ?? 0))
        })
        sent.once("error", (problem) => (leaves ? resolve(null) : reject(problem)))
        sent.end()
        if (leaves) sent.once("socket", (socket) => socket.once("connect", () => setImmediate(() => sent.destroy())))
      })

    it("answers every one of hundreds of visitors who come at once, though a fifth leaves early", async () => {
      const { api } = installed()
      const project = await Flow.createProject(api, "crowded", Flow.source("one"))
      const { url } = await Flow.liveApp(api, project.id, 0)
      // No isolate has served the app since.
      await installed().killAndRestart()
      const found = await Promise.all(
        Array.from({ length: rounds({ quick: 300, deep: 1000 }) }, (_, nth) =>
          visit(nth % 2 === 0 ? url : `${url}hello.txt`, nth % 5 === 4)
        )
      )
      const stayed = found.filter((_, nth) => nth % 5 !== 4)
      expect(new Set(stayed)).toEqual(new Set([200]))
      // Who left spoiled nothing for those who come after.
      expect((await api.page(url)).text).toBe("one")
    })
  })
}
