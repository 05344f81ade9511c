/** Whether an installation that was set up can work, as anybody may ask. */
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"

/** Tests of an installation. */
export const readiness = (installed: () => Installed): void => {
  describe("An installation in workerd that was set up", () => {
    it("is ready for anybody who asks, and says so to who looks after it", async () => {
      const { api, origin } = installed()
      const answer = await fetch(`${origin.replace("localhost", "127.0.0.1")}/health/ready`)
      expect([answer.status, await answer.json()]).toEqual([200, { status: "ready" }])
      expect(await api.get("/v1/system")).toMatchObject({ readiness: { status: "ready" } })
    })
  })
}
