/** The program that tries an installation which is deployed, against this one. */
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import { deployProgram } from "./DeployProgram.ts"

const run = (args: ReadonlyArray<string>, token: string) => deployProgram("smoke.ts", args, { PAWL_TOKEN: token })

/** Tests of the smoke test on an installation. */
export const smokes = (installed: () => Installed): void => {
  describe("The smoke test of a deployment", () => {
    it("takes a Change to a live host and everything away again, without a check that needs a container", async () => {
      const { origin, owner } = installed()
      const { code, output } = await run(["--api-origin", origin, "--resolve", "127.0.0.1"], owner)
      expect([code, output]).toEqual([0, expect.stringContaining("its host shows what was promoted")])
    })

    it("ends with 1 at the step that did not go, and with 2 without an origin or a token", async () => {
      const { origin, owner } = installed()
      const refused = await run(["--api-origin", origin, "--resolve", "127.0.0.1"], "pawl_nobody")
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("401")])
      expect((await run([], owner)).code).toBe(2)
      expect((await run(["--api-origin", origin], "")).code).toBe(2)
    })
  })
}
