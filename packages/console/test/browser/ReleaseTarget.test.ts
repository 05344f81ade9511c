import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { picture, provoked, signInAt } from "./kit/SignIn.ts"

describe.skipIf(browserMissing !== null)(`In development, in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld({ environment: () => ({ PAWL_ENVIRONMENT: "development" }) })
  let id: string
  beforeAll(async () => {
    ;({ id } = await Flow.createProject(world.server.api, "corner"))
  })

  it("a Project has no app of its own, but a release target that is named, changed and forgotten", async () => {
    const target = () => world.server.api.get<{ releaseTarget: object }>(`/v1/projects/${id}/release-target`)
    const opened = await signInAt(world.browser, world.server, "/p/corner/settings/app")
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
