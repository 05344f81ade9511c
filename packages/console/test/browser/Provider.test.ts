import { afterAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import { Issuer } from "../../../server/test/node/identity/Issuer.ts"
import { openPage } from "./kit/ConsolePage.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { originOf } from "./kit/SignIn.ts"

describe.skipIf(browserMissing !== null)(`A provider of identities (${browserMissing ?? "Chromium"})`, () => {
  const issuer = new Issuer()
  // Begun and ended around the server, which asks it.
  afterAll(() => issuer.stop())
  const world = consoleWorld({
    environment: async () => {
      await issuer.start()
      issuer.asksFirst = true
      return { PAWL_OIDC_ISSUER: issuer.url, PAWL_OIDC_AUDIENCE: "pawl", PAWL_OIDC_CLIENT_ID: "console" }
    }
  })
  const statusOf = async (secret: string) => {
    const headers = { cookie: `__Host-pawl=${secret}`, "sec-fetch-site": "same-origin" }
    return (await fetch(`${world.server.origin}/v1/session`, { headers })).status
  }

  it("signs a person in by a page of its own, back to where they were; who signs in anew ends the session of before", async () => {
    const { complaints, context, page, settled } = await openPage(world.browser, originOf(world.server))
    const goOn = async () => {
      await page.getByRole("link", { name: "Go on as Jane Doe" }).click()
      await settled("Projects")
    }
    const secret = async () =>
      (await context.cookies(originOf(world.server))).find(({ name }) => name === "__Host-pawl")?.value ?? ""
    await page.goto(`${originOf(world.server)}/projects`)
    await page.getByRole("link", { name: "Continue with your identity provider" }).click()
    await goOn()
    const first = await secret()
    expect(await statusOf(first)).toBe(200)

    // The page that leads back is of another site: the browser does not send along who is signed in.
    const back = page.waitForRequest((request) => request.url().includes("/auth/oidc/callback"))
    await page.goto(`${originOf(world.server)}/auth/oidc/start?returnTo=%2Fprojects`)
    await goOn()
    const sent = (await (await back).allHeaders())["cookie"] ?? ""
    expect([sent.includes("__Host-pawl-oidc="), sent.includes("__Host-pawl=")]).toEqual([true, false])
    const next = await secret()
    expect(next).not.toBe(first)
    expect([await statusOf(first), await statusOf(next)]).toEqual([401, 200])
    // What the browser asks of the provider's own page is no complaint.
    expect(complaints.filter((each) => !each.startsWith(issuer.url))).toEqual([])
    await context.close()
  })
})
