import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { browserMissing, launch } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { buildConsole } from "./kit/BuiltConsole.ts"
import { picture, provoked, signInAt } from "./kit/SignIn.ts"

describe.skipIf(browserMissing !== null)(`In development, in a browser (${browserMissing ?? "Chromium"})`, () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  let browser: Browser
  let id: string
  beforeAll(async () => {
    buildConsole()
    ;[server, browser] = await Promise.all([
      startServer({ data: folder.path, environment: { PAWL_ENVIRONMENT: "development" } }),
      launch()
    ])
    ;({ id } = await Flow.createProject(server.api, "corner"))
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    folder.remove()
  })

  it("a Project has no app of its own, but a release target that is named, changed and forgotten", async () => {
    const target = () => server.api.get<{ releaseTarget: object }>(`/v1/projects/${id}/release-target`)
    const opened = await signInAt(browser, server, "/p/corner/settings/app")
    const { broken, page, settled } = opened
    await settled("App and Project")
    await page.getByText("No apps are hosted here.").waitFor()
    await page.getByLabel("Name of the worker").fill("corner")
    await page.getByLabel("Its id at the build service").fill("0123456789abcdef0123456789abcdef")
    await page.getByLabel("Where it answers").fill("nowhere")
    await page.getByRole("button", { name: "Name it" }).click()
    await page.getByRole("alert").waitFor()
    await page.getByLabel("Where it answers").fill("https://corner.example.dev")
    await page.getByRole("button", { name: "Name it" }).click()
    await page.getByRole("button", { name: "Forget it" }).waitFor()
    expect((await target()).releaseTarget).toMatchObject({ workerName: "corner", url: "https://corner.example.dev" })
    await picture(opened, "release-target")
    expect(await broken()).toEqual([])
    await page.getByRole("button", { name: "Forget it" }).click()
    await page.getByRole("button", { name: "Name it" }).waitFor()
    await expect(target()).rejects.toThrow(/404|unknown/i)
    provoked(opened, 400, 404)
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  })
})
