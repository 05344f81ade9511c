/** A page of a real server, signed in by hand. */
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { type ConsolePage, type Look, openPage } from "./ConsolePage.ts"

/** Pictures of the screens are kept where this says, for a person to look at. */
const pictures = process.env["PAWL_TEST_PICTURES"]

/** A page that is signed in, and how to take a picture of it. */
export interface SignedInPage extends ConsolePage {
  readonly picture: (name: string) => Promise<void>
}

/** Opens a path of the server on this port as whoever has the token. `expected` as of `openPage`. */
export const signedIn = async (
  browser: Browser,
  port: number,
  token: string,
  path: string,
  look: Look = {},
  expected?: RegExp
): Promise<SignedInPage> => {
  const origin = `http://localhost:${port}`
  const opened = await openPage(browser, origin, look, expected)
  await opened.page.goto(origin + path)
  await opened.page.getByLabel("API token").fill(token)
  await opened.page.getByRole("button", { name: "Sign in" }).click()
  return {
    ...opened,
    picture: async (name) => {
      if (pictures !== undefined) await opened.page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    }
  }
}
