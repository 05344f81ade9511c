/** A tab of a Change in a browser that is signed in by the pasted token. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { type ServerProcess, token } from "../../../../server/test/e2e/kit/ServerProcess.ts"
import { type ConsolePage, type Look, openPage } from "./ConsolePage.ts"

/** Pictures are kept where this says, for a person to look at. */
const pictures = process.env["PAWL_TEST_PICTURES"]

/** A page, what it shows when it asks for nothing more, and a picture of it. */
export interface ChangePage extends ConsolePage {
  /** Waits until this text is there and nothing is asked for. */
  readonly shows: (text: string | RegExp) => Promise<void>
  readonly picture: (name: string) => Promise<void>
  /** Pixels that the page is wider than the window. */
  readonly tooWide: () => Promise<number>
}

/** Opens a path of the console and signs in there. */
export const openSignedIn = async (
  browser: Browser,
  server: ServerProcess,
  path: string,
  look: Look = {}
): Promise<ChangePage> => {
  const opened = await openPage(browser, `http://localhost:${server.port}`, look)
  const { page } = opened
  await page.goto(`http://localhost:${server.port}${path}`)
  await page.getByLabel("API token").fill(token)
  await page.getByRole("button", { name: "Sign in" }).click()
  return {
    ...opened,
    shows: async (text) => {
      await page.getByRole("main").getByText(text).first().waitFor()
      await page.locator('main[data-settled="true"]').waitFor()
    },
    picture: async (name) => {
      if (pictures === undefined) return
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    },
    tooWide: () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
  }
}
