import { describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { signInAt } from "./kit/SignIn.ts"

/** More Projects than one page of their list has. */
const newer = 101

describe.skipIf(browserMissing !== null)(`What moved last (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()

  it("is shown by an empty Inbox, and by the installation, of the newest Project and of the oldest, however many there are", async () => {
    const bare = (slug: string) => world.server.api.post("/v1/projects", { slug })
    await bare("first")
    const { complaints, context, page, settled } = await signInAt(world.browser, world.server, "/")
    await settled("Inbox")
    // A Project that was never promoted is one all the same.
    await page.getByText("Nothing waits for you").waitFor()

    const old = await Flow.createProject(world.server.api, "old")
    await Flow.liveApp(world.server.api, old.id, 0)
    for (let n = 1; n <= newer; n++) await bare(`newer-${n}`)
    const last = await Flow.createProject(world.server.api, "last")
    await Flow.liveApp(world.server.api, last.id, 0)
    const change = await Flow.openChange(world.server.api, old.id, "move")
    await Flow.edit(world.server.api, change, { "public/hello.txt": "moved\n" })
    const { id } = await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    await Flow.promote(world.server.api, id)
    await Flow.released(world.server.api, old.id, 1)

    await page.reload()
    const promotions = page.getByRole("main").getByRole("link", { name: / S\d+$/ })
    await promotions.first().waitFor()
    expect(await promotions.allTextContents()).toEqual(["old S1", "last S0", "old S0"])
    await page.goto(new URL("/system", page.url()).toString())
    const rows = page.getByRole("table", { name: "What Projects used" }).getByRole("link")
    await rows.first().waitFor()
    expect((await rows.allTextContents()).slice(0, 3)).toEqual(["old", "last", `newer-${newer}`])
    expect(complaints).toEqual([])
    await context.close()
  })
})
