/** A tab of a Change in a browser that is signed in by the pasted token. */
import type { Browser } from "playwright-core"
import type { ServerProcess } from "../../../../server/test/e2e/kit/ServerProcess.ts"
import type { ConsolePage, Look } from "./ConsolePage.ts"
import { picture, signInAt } from "./SignIn.ts"

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
  const opened = await signInAt(browser, server, path, { look })
  const { page } = opened
  return {
    ...opened,
    shows: async (text) => {
      await page.getByRole("main").getByText(text).first().waitFor()
      await page.locator('main[data-settled="true"]').waitFor()
    },
    picture: (name) => picture(opened, name),
    tooWide: () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
  }
}
