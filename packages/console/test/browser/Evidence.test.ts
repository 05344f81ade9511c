import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { looksToNarrow as looks } from "./kit/Looks.ts"
import { openSignedIn } from "./kit/ChangePage.ts"
import { tabOn } from "./kit/ProjectPages.ts"

const colours = `printf '\\033[31mred\\033[0m <img src=x onerror=alert(1)> \\033[1;32mgreen\\033[0m\\n'`

const checks = [
  { id: "colours", title: "Writes in colours", command: colours },
  { id: "hours", title: "Says when we are open", command: 'grep -q "9 to 5" public/hours.txt', required: true },
  { id: "lint", title: "A tool that is not there", command: "no-such-linter .", required: false },
  { id: "long", command: "for i in $(seq 1 40000); do echo line $i of many; done" }
]

describe.skipIf(browserMissing !== null)(`The evidence of a Candidate (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  let path: string
  let projectId: string

  beforeAll(async () => {
    const files = Flow.source("one", { "pawl.json": JSON.stringify({ checks }), "public/hours.txt": "9 to 5\n" })
    const project = await Flow.createProject(world.server.api, "shop", files)
    projectId = project.id
    await Flow.liveApp(world.server.api, project.id, 0)
    const change = await Flow.openChange(world.server.api, project.id, "Open an hour longer")
    await Flow.edit(world.server.api, change, { "public/hours.txt": "9 to 6\n" })
    await Flow.gated(world.server.api, (await Flow.requestCandidate(world.server.api, change)).id)
    path = `/changes/${change.id}/evidence`
  })

  it("tells each check's verdict, whether it is required, its time, isolation and digest; a gap says what stood in its way", async () => {
    const { complaints, context, page, shows } = await openSignedIn(world.browser, world.server, path)
    await shows("6 checks: 4 passed, 1 failed, 1 could not run")
    const hours = page.getByRole("region", { name: "Check hours", exact: true })
    await hours.getByText("Failed", { exact: true }).waitFor()
    await hours.getByText("Required").waitFor()
    await hours.getByText(/^(bubblewrap|unshare)/).waitFor()
    await hours.getByRole("button", { name: /Copy digest id/ }).waitFor()
    await hours.getByText(/\d+\.\d s,/).waitFor()
    const lint = page.getByRole("region", { name: "Check lint" })
    await lint.getByText("Could not run").waitFor()
    await lint.getByText("Optional").waitFor()
    await lint
      .getByText(/no-such-linter/)
      .first()
      .waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it("shows a check that runs beside one that has passed, and that it is over, as it happens and without being asked again", async () => {
    const slow = { "pawl.json": JSON.stringify({ checks: [...checks, { id: "slow", command: "sleep 600" }] }) }
    const change = await Flow.openChange(world.server.api, projectId, "Check it slowly")
    await Flow.edit(world.server.api, change, slow)
    const { complaints, context, page, shows } = await openSignedIn(
      world.browser,
      world.server,
      `/changes/${change.id}/evidence`
    )
    await shows(/./)
    const asked = await Flow.requestCandidate(world.server.api, change)
    const check = (id: string) => page.getByRole("region", { name: `Check ${id}`, exact: true })
    await check("slow").getByText("Running", { exact: true }).waitFor()
    await check("slow").getByText("It may still wait for a sandbox.").waitFor()
    await check("colours").getByText("Passed", { exact: true }).waitFor()
    expect(
      (await world.server.api.get<{ candidate: { status: string } }>(`/v1/candidates/${asked.id}`)).candidate.status
    ).toBe("verifying")
    await world.server.api.post(`/v1/changes/${change.id}/cancel`)
    await check("slow").getByText("Never ran", { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it("asks for an output when it is opened, by the keyboard, and shows it in colours and as text alone", async () => {
    const { complaints, context, page, shows } = await openSignedIn(world.browser, world.server, path)
    const asked: Array<string> = []
    page.on("request", (request) => void (request.url().includes("/output") && asked.push(request.url())))
    await shows("6 checks")
    expect(asked).toEqual([])
    const check = page.getByRole("region", { name: "Check colours" })
    await tabOn(check.locator("summary[data-row]"))
    await page.keyboard.press("Enter")
    const output = page.getByRole("region", { name: "Output of colours" })
    await output.locator(".ansi-red", { hasText: "red" }).waitFor()
    expect(await output.textContent()).toContain("red <img src=x onerror=alert(1)> green")
    expect(await output.locator("img").count()).toBe(0)
    expect(await output.locator(".ansi-green.ansi-bold").textContent()).toBe("green")
    expect(asked.length).toBe(1)
    expect(complaints).toEqual([])
    await context.close()
  })

  it("shows the first 256 KiB of a long output, and where the rest is", async () => {
    const { complaints, context, page, shows } = await openSignedIn(world.browser, world.server, path)
    await shows("6 checks")
    const check = page.getByRole("region", { name: "Check long" })
    await check.locator("summary[data-row]").click()
    await check.getByText("Only the first 256 KiB are shown.").waitFor()
    expect(await page.getByRole("region", { name: "Output of long" }).textContent()).toHaveLength(256 * 1024)
    const raw = await check.getByRole("link", { name: "Raw output" }).getAttribute("href")
    expect(await page.evaluate<string>(`fetch(${JSON.stringify(raw)}).then((answer) => answer.text())`)).toContain(
      "line 40000 of many"
    )
    expect(complaints).toEqual([])
    await context.close()
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA and fits, $theme and $width wide", async (look) => {
    const { broken, complaints, context, page, picture, shows, tooWide } = await openSignedIn(
      world.browser,
      world.server,
      path,
      look
    )
    await shows("6 checks")
    await page.getByRole("region", { name: "Check colours" }).locator("summary[data-row]").click()
    await page.getByRole("region", { name: "Output of colours" }).waitFor()
    expect(await broken()).toEqual([])
    expect(await tooWide()).toBe(0)
    await picture(`evidence-${look.theme}-${look.width}`)
    expect(complaints).toEqual([])
    await context.close()
  })
})
