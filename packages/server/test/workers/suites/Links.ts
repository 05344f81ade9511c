/** The link by which the owner of an installation signs in: asked for by the deployment, opened by a browser. */
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import { make } from "../../../src/node/demo/DemoApi.ts"
import { firstSignInLine } from "../../../../../deploy/cloudflare/SignInLink.ts"
import { browserMissing, launch } from "../../e2e/kit/BrowserProbe.ts"
import * as Flow from "../../e2e/kit/Flow.ts"
import { deployProgram } from "./DeployProgram.ts"

/** Tests of the links of an installation. */
export const links = (installed: () => Installed): void => {
  const ask = (token: string, origin = installed().origin) =>
    deployProgram("link.ts", ["--api-origin", origin, "--resolve", "127.0.0.1"], { PAWL_OWNER_TOKEN: token })
  const at = (path: string) => `${installed().origin.replace("localhost", "127.0.0.1")}${path}`
  const open = (code: string) =>
    fetch(at("/v1/session"), {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
      body: JSON.stringify({ code })
    })
  const codeIn = (line: string, origin: string) => {
    const [address = "", code = ""] =
      line
        .replace(/^sign in /, "")
        .split(" ")[0]
        ?.split("/#login=") ?? []
    expect([address, code]).toEqual([origin, expect.stringMatching(/^[\w-]{43}$/)])
    return code
  }

  describe("The link of a deployment", () => {
    it("signs its owner in once, and a link that was used or made up signs nobody in", async () => {
      const { origin, owner } = installed()
      const { code: end, output } = await ask(owner)
      expect([end, output]).toEqual([0, expect.stringMatching(/ \(once, until 20[\dT:.-]+Z\)\n$/)])
      const code = codeIn(output, origin)
      const began = await open(code)
      const [, secret = ""] = /^__Host-pawl=([\w-]{43}); /.exec(began.headers.get("set-cookie") ?? "") ?? []
      const headers = { cookie: `__Host-pawl=${secret}`, "sec-fetch-site": "same-origin" }
      const session = await fetch(at("/v1/session"), { headers })
      expect(await session.json()).toMatchObject({ session: { how: "link" }, user: { name: "Owner" } })
      for (const [given, reason] of [
        [code, "used"],
        ["x".repeat(43), "unknown"]
      ] as const)
        expect(await (await open(given)).json()).toMatchObject({ status: 400, code: "code_refused", reason })
    })

    it("is not made for a token that is none, and the programs say so", async () => {
      const { origin } = installed()
      const refused = await ask("pawl_nobody")
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("401")])
      expect((await ask("")).code).toBe(2)
      const { port } = new URL(origin)
      expect(await firstSignInLine(make({ host: "127.0.0.1", port: Number(port) }, "pawl_nobody"), 1)).toBeNull()
    })

    it.skipIf(browserMissing !== null)(
      `opened in a browser, shows the console to its owner (${browserMissing ?? "Chromium"})`,
      async () => {
        const [link = ""] = /http\S+/.exec((await ask(installed().owner)).output) ?? []
        const browser = await launch()
        try {
          const page = await browser.newPage()
          await page.goto(link)
          const cookies = await Flow.until(
            () => page.context().cookies(),
            (all) => all.length > 0
          )
          expect(cookies.map(({ name }) => name)).toEqual(["__Host-pawl"])
          // The code is gone from the address.
          await Flow.until(
            () => Promise.resolve(page.url()),
            (url) => !url.includes("login=")
          )
        } finally {
          await browser.close()
        }
      }
    )
  })
}
