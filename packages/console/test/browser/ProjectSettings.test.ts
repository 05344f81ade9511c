import { beforeAll, describe, expect, it } from "vitest"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../server/test/e2e/kit/Flow.ts"
import { token } from "../../../server/test/e2e/kit/ServerProcess.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import type { ConsolePage } from "./kit/ConsolePage.ts"
import { looksToNarrow as looks } from "./kit/Looks.ts"
import { tabOn } from "./kit/ProjectPages.ts"
import { originOf, picture, provoked, signInAt } from "./kit/SignIn.ts"

describe.skipIf(browserMissing !== null)(`A Project's settings in a browser (${browserMissing ?? "Chromium"})`, () => {
  const world = consoleWorld()
  const at = "/p/corner/settings"
  let id: string
  beforeAll(async () => {
    ;({ id } = await Flow.createProject(world.server.api, "corner"))
    await Flow.liveApp(world.server.api, id, 0)
  })

  const close = async (opened: ConsolePage) => {
    expect(opened.complaints).toEqual([])
    await opened.context.close()
  }
  const makeUser = (name: string) =>
    world.server.api.post<{ user: { id: string }; token: string }>("/v1/users", { name }).then(({ user }) => user.id)
  const members = async () => {
    const { items } = await world.server.api.get<{ items: ReadonlyArray<{ name: string; role: string }> }>(
      `/v1/projects/${id}/members`
    )
    return Object.fromEntries(items.map(({ name, role }) => [name, role]))
  }

  it("adds a member by their id, changes their role and removes them, and keeps who came in meanwhile", async () => {
    const [first, second] = [await makeUser("Reader"), await makeUser("Writer")]
    const opened = await signInAt(world.browser, world.server, `${at}/members`)
    const { page, settled } = opened
    await settled("Members")
    await page.getByLabel("User id").fill("Reader")
    await page.keyboard.press("Enter")
    await page.getByText("It begins with usr_.").waitFor()
    await page.getByLabel("User id").fill(first)
    await page.getByLabel("Role", { exact: true }).selectOption("viewer")
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("row", { name: /^Reader/ }).waitFor()
    // Somebody else adds another one, which this page has not seen.
    const { items } = await world.server.api.get<{ items: ReadonlyArray<object> }>(`/v1/projects/${id}/members`)
    await fetch(`${world.server.origin}/v1/projects/${id}/members`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ members: [...items, { userId: second, role: "admin" }] })
    })
    await page.getByLabel("Role of Reader").selectOption("member")
    await page.getByRole("row", { name: /^Writer/ }).waitFor()
    expect(await members()).toMatchObject({ Reader: "member", Writer: "admin" })
    await page.getByRole("button", { name: "Remove Reader" }).click()
    await page.getByRole("row", { name: /^Reader/ }).waitFor({ state: "detached" })
    expect(Object.keys(await members())).not.toContain("Reader")
    await close(opened)
  })

  it("makes a webhook whose secret is shown this once, tests it, gives it a new secret, and deletes it", async () => {
    const opened = await signInAt(world.browser, world.server, `${at}/webhooks`)
    const { page, settled } = opened
    await settled("Webhooks")
    await page.getByRole("button", { name: "New webhook" }).click()
    await page.getByLabel("Address").fill("http://127.0.0.1/hook")
    await page.keyboard.press("Enter")
    await page.locator(".field-wrong").waitFor()
    await page.getByLabel("Address").fill("https://hooks.invalid/pawl")
    await page.getByLabel("It is told of").selectOption("some")
    await page.getByRole("group", { name: "Events" }).getByLabel("Promotions").uncheck()
    await page.getByRole("group", { name: "Events" }).getByLabel("ChangeSets").check()
    await page.getByRole("button", { name: "Make it" }).click()
    const secret = await page.getByLabel("Signing secret").inputValue()
    expect(secret).toMatch(/^whsec_/)
    await page.getByRole("button", { name: "I have kept it" }).click()
    await page.getByRole("link", { name: "https://hooks.invalid/pawl" }).click()
    await settled("Webhook")
    expect(await page.content()).not.toContain(secret)
    await page.getByText("It was told nothing yet").waitFor()
    await page.getByRole("button", { name: "Send a test" }).click()
    const { items } = await world.server.api.get<{
      items: ReadonlyArray<{ id: string; eventTypes: ReadonlyArray<string> }>
    }>(`/v1/projects/${id}/webhooks`)
    expect(items[0]!.eventTypes).toContain("approval.requested")
    expect(items[0]!.eventTypes).not.toContain("canonical.advanced")
    await Flow.until(
      () =>
        world.server.api.get<{ items: ReadonlyArray<{ state: string }> }>(`/v1/webhooks/${items[0]!.id}/deliveries`),
      (page) => page.items[0]?.state === "failed"
    )
    await page.getByRole("button", { name: "Look again" }).click()
    await page.getByRole("row", { name: /webhook\.ping a test.*Failed/ }).waitFor()
    await Flow.edit(world.server.api, await Flow.openChange(world.server.api, id, "a change"), {
      "public/hello.txt": "hello\n"
    })
    const deliveries = () =>
      world.server.api.get<{
        items: ReadonlyArray<{ event: { type: string }; tries: number; nextTryAt: string | null }>
      }>(`/v1/webhooks/${items[0]!.id}/deliveries`)
    const proposed = (tries: number) =>
      Flow.until(deliveries, ({ items: all }) =>
        all.some((each) => each.event.type === "changeset.proposed" && each.tries >= tries)
      )
    await proposed(1)
    await page.getByRole("button", { name: "Look again" }).click()
    await picture(opened, "webhook")
    expect(await opened.broken()).toEqual([])
    const answered = page.waitForResponse(/\/redeliver$/)
    await page.getByRole("button", { name: "Send again: changeset.proposed" }).click()
    expect((await answered).status()).toBe(202)
    await proposed(2)
    await page.getByRole("button", { name: "Pause" }).click()
    await page.getByText("It is paused: nothing but tests is sent.").waitFor()
    await picture(opened, "webhook-paused")
    expect(await opened.broken()).toEqual([])
    await page.getByRole("button", { name: "Resume" }).click()
    await page.getByRole("button", { name: "Pause" }).waitFor()
    await page.getByRole("button", { name: "Change", exact: true }).click()
    const changing = page.getByRole("dialog", { name: "Change this webhook" })
    await changing.getByLabel("Address").fill("https://hooks.invalid/moved")
    await changing.getByLabel("It is told of").selectOption("all")
    await changing.getByRole("button", { name: "Change it" }).click()
    await changing.waitFor({ state: "detached" })
    await page.getByText("https://hooks.invalid/moved").waitFor()
    await page.getByText("all events").waitFor()
    await page.getByRole("button", { name: "New secret" }).click()
    await page.getByLabel("The old one has leaked").check()
    await page.getByRole("button", { name: "Make a new secret" }).click()
    await page.getByText("No older one signs any more.").waitFor()
    const next = await page.getByLabel("Signing secret").inputValue()
    expect(next).not.toBe(secret)
    await page.getByRole("button", { name: "I have kept it" }).click()
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("button", { name: "Delete it" }).click()
    await settled("Webhooks")
    await page.getByText("Nobody outside is told").waitFor()
    provoked(opened, 400)
    await close(opened)
  })

  it("makes one for people in Slack, which is told of few types", async () => {
    const opened = await signInAt(world.browser, world.server, `${at}/webhooks`)
    const { page, settled } = opened
    await settled("Webhooks")
    await page.getByRole("button", { name: "New webhook" }).click()
    await page.getByLabel("Address").fill("https://hooks.invalid/slack")
    await page.getByLabel("Who reads it").selectOption("slack")
    expect(await page.getByLabel("It is told of").count()).toBe(0)
    await page.getByRole("button", { name: "Make it" }).click()
    await page.getByRole("button", { name: "I have kept it" }).click()
    await page.getByRole("link", { name: "https://hooks.invalid/slack" }).click()
    await settled("Webhook")
    await page.getByText("a line for Slack").waitFor()
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("button", { name: "Delete it" }).click()
    await settled("Webhooks")
    await close(opened)
  })

  it.each(looks)("breaks no rule of WCAG 2.2 AA and does not scroll sideways, $theme and $width wide", async (look) => {
    const opened = await signInAt(world.browser, world.server, `${at}/members`, { look })
    const { broken, page, settled } = opened
    await settled("Members")
    for (const [path, heading] of [
      ["members", "Members"],
      ["webhooks", "Webhooks"],
      ["app", "App and Project"]
    ] as const) {
      await page.goto(`${originOf(world.server)}${at}/${path}`)
      await settled(heading)
      await picture(opened, `settings-${path}-${look.theme}-${look.width}`)
      expect(await broken()).toEqual([])
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width)
    }
    await close(opened)
  })

  it("removes the app only when its label is typed, and deploys it again", async () => {
    const opened = await signInAt(world.browser, world.server, `${at}/app`)
    const { page, settled } = opened
    await settled("App and Project")
    await page.getByRole("button", { name: "Remove the app" }).click()
    const dialog = page.getByRole("dialog", { name: "Remove the app?" })
    await dialog.getByRole("button", { name: "Remove the app" }).click()
    await dialog.getByText("Type corner, as it is written here.").waitFor()
    await dialog.getByLabel("Type corner to confirm").fill("corner")
    await picture(opened, "settings-app-remove")
    await page.keyboard.press("Enter")
    await page.getByText("Removed", { exact: true }).waitFor()
    await page.getByRole("button", { name: "Deploy the head" }).click()
    await page.getByRole("button", { name: "Release the head again" }).waitFor()
    await Flow.liveApp(world.server.api, id, 0)
    await close(opened)
  })

  it("archives the Project for good, by the keyboard, when its label is typed", async () => {
    const opened = await signInAt(world.browser, world.server, `${at}/app`)
    const { page, settled } = opened
    await settled("App and Project")
    await tabOn(page.getByRole("button", { name: "Archive corner" }))
    await page.keyboard.press("Enter")
    await page.keyboard.type("corner")
    await page.keyboard.press("Enter")
    await page.getByText("This Project is archived, for good.").waitFor()
    await page.getByRole("button", { name: "Archive corner" }).waitFor({ state: "detached" })
    const { project } = await world.server.api.get<{ project: { status: string } }>(`/v1/projects/${id}`)
    expect(project.status).toBe("archived")
    await close(opened)
  })
})
