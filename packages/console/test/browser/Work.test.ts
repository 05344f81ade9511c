import * as Provider from "@pawl/testing/provider/ScriptedProvider"
import { says, type Turn } from "@pawl/testing/provider/Script"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import { type Gate, gate } from "../../../server/test/e2e/agents/Watch.ts"
import * as ChangeFlow from "../../../server/test/e2e/kit/ChangeFlow.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { done, environmentOf, script, type Team, titleOf, write } from "../../../server/test/e2e/kit/ScriptedTeam.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { looksToNarrow as looks } from "./kit/Looks.ts"
import { openSignedIn } from "./kit/ChangePage.ts"
import { tabOn } from "./kit/ProjectPages.ts"

const hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>"

const team: Team = {
  tasks: [
    { key: "hours", title: "The opening hours", writes: ["public/hours.txt"] },
    { key: "page", title: "The page that shows them", dependsOn: ["hours"], writes: ["src/page.js"] },
    { key: "test", title: "A test of the page", dependsOn: ["page"], writes: ["test/page.js"] },
    { key: "note", title: "A note for the shop", writes: ["public/note.txt"] }
  ],
  agents: {
    "The opening hours": [write("public/hours.txt", "9 to 5\n"), done],
    "The page that shows them": [write("src/page.js", `// ${hostile}\n`), done],
    "A test of the page": [write("test/page.js", "// it is tested\n"), done],
    "A note for the shop": [write("public/note.txt", "noted\n"), done]
  }
}

describe.skipIf(browserMissing !== null)(`The work of a Change (${browserMissing ?? "Chromium"})`, () => {
  let provider: Provider.ScriptedProvider
  // Begun and ended around the server, which asks it.
  afterAll(() => provider.close())
  const world = consoleWorld({
    environment: async () => {
      provider = await Provider.open(() => says("nothing yet"))
      return environmentOf(provider)
    }
  })
  let projectId: string
  let goals = 0

  /** A goal whose agent of the page has written once, and whose model thinks on until the gate opens. */
  const standing = async (): Promise<{ readonly id: string; readonly thinks: Gate<Turn> }> => {
    const thinks = gate<Turn>()
    const usual = script(team)
    let isOver = false
    provider.follow((asked) => {
      if (isOver || titleOf(asked) !== "The page that shows them" || asked.results !== 1) return usual(asked)
      isOver = true
      return thinks.pass()
    })
    goals += 1
    const { id } = await ChangeFlow.openGoal(world.server.api, projectId, `Say when the shop is open, ${goals}`)
    await thinks.reached
    return { id, thinks }
  }

  beforeAll(async () => {
    projectId = (await Flow.createProject(world.server.api, "shop")).id
    await Flow.liveApp(world.server.api, projectId, 0)
  })

  it("is a picture and a list, with the budget, and the turns of the agent that works come in while one looks", async () => {
    const { id, thinks } = await standing()
    const { complaints, context, page } = await openSignedIn(world.browser, world.server, `/changes/${id}/work`)
    // A run that goes on is looked at again and again.
    await page.getByRole("img", { name: /^4 Tasks/ }).waitFor()
    await page.getByText(/^\$0\.\d{4} of \$5\.00 spent/).waitFor()
    const tasks = page.getByRole("list", { name: "Tasks" }).locator(":scope > li")
    expect(await tasks.locator(".task-title").allTextContents()).toEqual(team.tasks.map(({ title }) => title))
    const running = tasks.nth(1)
    await running.getByText("tier fast").first().waitFor()
    await running.getByText("The model is being asked.").waitFor()
    expect(await running.getByRole("region", { name: "Arguments of write" }).textContent()).toContain(hostile)
    expect(await running.locator("script, img").count()).toBe(0)
    thinks.open(done)
    await running.getByRole("region", { name: "Arguments of done" }).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it("is steered by the keyboard: a note, a stop that asks first, a retry, and a Task that is taken over", async () => {
    const { id, thinks } = await standing()
    const { complaints, context, page } = await openSignedIn(world.browser, world.server, `/changes/${id}/work`)
    const running = page.getByRole("list", { name: "Tasks" }).locator(":scope > li").nth(1)
    await tabOn(running.getByLabel("Note for the agent"))
    await page.keyboard.type("Say the lunch break too")
    await page.keyboard.press("Enter")
    await running.getByRole("list", { name: "Notes" }).getByText("Say the lunch break too").waitFor()
    const statusOf = async () => {
      const { task } = await world.server.api.get<{ task: { status: string; blockedBy?: string | null } }>(
        `/v1/tasks/tsk_${id}_page`
      )
      return `${task.status} ${task.blockedBy ?? ""}`
    }
    await tabOn(running.getByRole("button", { name: "Stop" }))
    await page.keyboard.press("Enter")
    await page.getByRole("dialog", { name: /^Stop: / }).waitFor()
    await page.keyboard.press("Escape")
    expect(await statusOf()).toBe("running ")
    expect(await page.evaluate<string>("document.activeElement.textContent")).toBe("Stop")
    await page.keyboard.press("Enter")
    await tabOn(page.getByRole("dialog").getByRole("button", { name: "Stop" }))
    await page.keyboard.press("Enter")
    await running.getByText("A person stopped it. Retry it, or take it over.").waitFor()
    expect(await statusOf()).toBe("blocked stopped")
    thinks.open(done)
    await running.getByRole("button", { name: "Take it over" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Take it over" }).click()
    await running.getByText(/^A person does it/).waitFor()
    expect(await statusOf()).toBe("blocked person")
    await running.getByRole("button", { name: "Retry" }).click()
    await running.getByText(/^A person does it/).waitFor({ state: "detached" })
    await Flow.until(
      () => world.server.api.get<{ task: { attempt: number } }>(`/v1/tasks/tsk_${id}_page`),
      ({ task }) => task.attempt > 1
    )
    await page.reload()
    await running.getByText(/^[2-9] runs$/).waitFor()
    expect(complaints).toEqual([])
    await context.close()
  })

  it("says why it stopped, and goes on when somebody raises the budget, which is never lowered", async () => {
    const usual = script(team)
    // Of the first answer of the first agent: what is left does for no further call.
    provider.follow(async (asked) => {
      const turn = await usual(asked)
      return turn._tag === "Says" && asked.results === 0 && !asked.tools.includes("propose_plan")
        ? { ...turn, usage: { input: 100, output: 45_000 } }
        : turn
    })
    const { id } = await ChangeFlow.openGoal(world.server.api, projectId, "Spend it all", 0.09)
    await ChangeFlow.changeWhen(world.server.api, id, ({ status }) => status === "budget_blocked")
    provider.follow(usual)
    const { broken, complaints, context, page, picture } = await openSignedIn(world.browser, world.server, "/")
    await page.getByRole("link", { name: "Spend it all" }).click()
    await page.waitForURL(`**/changes/${id}/work`)
    await page
      .getByRole("status")
      .getByText(/^The work stopped/)
      .waitFor()
    expect(await broken()).toEqual([])
    await picture("work-stopped")
    await page.getByRole("button", { name: "Raise the budget" }).click()
    const field = page.getByLabel("New budget in US dollars")
    expect(await field.inputValue()).toBe("0.18")
    await field.fill("0.05")
    await page.keyboard.press("Enter")
    await page.getByText("More than $0.0900: it is never lowered.").waitFor()
    await picture("work-raise")
    await field.fill("2")
    await page.keyboard.press("Enter")
    await page.getByText(/ of \$2\.00 spent/).waitFor()
    await page
      .getByRole("status")
      .getByText(/^The work stopped/)
      .waitFor({ state: "detached" })
    await ChangeFlow.verifiedOf(world.server.api, id)
    expect(await ChangeFlow.changeOf(world.server.api, id)).toMatchObject({ budget_usd: 2 })
    expect(complaints).toEqual([])
    await context.close()
  })

  it("says what stands there where nobody works yet", async () => {
    const change = await Flow.openChange(world.server.api, projectId, "Nobody is at it")
    const { complaints, context, shows } = await openSignedIn(world.browser, world.server, `/changes/${change.id}/work`)
    await shows("Nobody works on it yet")
    expect(complaints).toEqual([])
    await context.close()
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA and fits, $theme and $width wide", async (look) => {
    const { id, thinks } = await standing()
    const opened = await openSignedIn(world.browser, world.server, `/changes/${id}/work`, look)
    await opened.page.getByRole("region", { name: "Arguments of write" }).waitFor()
    expect(await opened.broken()).toEqual([])
    expect(await opened.tooWide()).toBe(0)
    await opened.picture(`work-${look.theme}-${look.width}`)
    expect(opened.complaints).toEqual([])
    thinks.open(done)
    await opened.context.close()
  })
})
