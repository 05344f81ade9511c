import type { ScriptedProvider } from "@pawl/testing/provider/ScriptedProvider"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fillShop, openAgents } from "../../../../tools/screens/ExampleShop.ts"
import { type Shot, shotsOf } from "../../../../tools/screens/Paths.ts"
import { browserMissing } from "../../../server/test/e2e/kit/BrowserProbe.ts"
import { environmentOf } from "../../../server/test/e2e/kit/ScriptedTeam.ts"
import type { ConsolePage, Look } from "./kit/ConsolePage.ts"
import { consoleWorld } from "./kit/ConsoleWorld.ts"
import { some } from "./kit/Looks.ts"
import { originOf, signInAt } from "./kit/SignIn.ts"

interface Way extends Look {
  readonly name: string
  /** Done to a page once it is there. */
  readonly made?: (opened: ConsolePage) => Promise<unknown>
  /** A rule that says nothing here. */
  readonly without?: string
}

/** Colours are the person's own, as a system gives them that has high contrast switched on. */
const forced = ({ page }: ConsolePage) => page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" })
/** Text of twice the size; a window of 1,280 px that is zoomed so has 640. */
const twice = ({ page }: ConsolePage) => page.evaluate("document.documentElement.style.fontSize = '200%'")

const ways: ReadonlyArray<Way> = [
  { name: "in the light theme, wide", theme: "light", width: 1280 },
  { name: "in the dark theme, wide", theme: "dark", width: 1280 },
  { name: "in the light theme, narrow", theme: "light", width: 390, height: 844 },
  { name: "in the dark theme, narrow", theme: "dark", width: 390, height: 844 },
  { name: "in 320 px", theme: "light", width: 320, height: 640 },
  { name: "at twice the size", theme: "light", width: 640, height: 400, made: twice },
  // The system gives text and ground their colours; axe reads the text's from a property that keeps the page's own.
  { name: "in forced colours", theme: "dark", width: 1280, made: forced, without: "color-contrast" }
]

describe.skipIf(browserMissing !== null)(`Every screen of the console (${browserMissing ?? "Chromium"})`, () => {
  let agents: ScriptedProvider
  // Begun and ended around the server, which asks them.
  afterAll(() => agents.close())
  const world = consoleWorld({
    environment: async () => {
      agents = await openAgents()
      return environmentOf(agents)
    }
  })
  let shots: ReadonlyArray<Shot>

  beforeAll(async () => {
    shots = shotsOf(await fillShop(world.server))
  })

  it.each(some(ways))("breaks no rule of WCAG 2.2 AA and scrolls to no side, $name", async (way) => {
    const { made, name: _, without = "", ...look } = way
    const opened = await signInAt(world.browser, world.server, "/projects", {
      look,
      expected: /\/v1\/(session|changes-of-state)$|\.apps\.localhost/
    })
    const { broken, complaints, context, page } = opened
    await page.locator('main[data-settled="true"]').waitFor()
    const found: Array<unknown> = []
    for (const { name, path } of shots) {
      await page.goto(originOf(world.server) + path)
      await page.locator('main[data-settled="true"] h1').waitFor()
      await page.locator("main .skeleton").first().waitFor({ state: "detached" })
      await made?.(opened)
      const tooWide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      if (tooWide > 0) found.push(`${name} is ${tooWide} px too wide`)
      for (const each of await broken()) if (without === "" || !each.startsWith(without)) found.push(`${name}: ${each}`)
    }
    expect(found).toEqual([])
    expect(complaints).toEqual([])
    await context.close()
  })
})
