/** Pages of a console whose server signs people in, and hands that use keys alone. */
import type { Browser, Locator, Page } from "playwright-core"
import type { ConsolePage, Look } from "./ConsolePage.ts"
import { signInAt } from "./SignIn.ts"

/** Refusals that each page meets: nobody is signed in at first, and this server sends no news. */
const always = ["/v1/session$", "/v1/changes-of-state(\\?.*)?$"]

/** A page at a path, signed in by a pasted token. `refused` are addresses whose refusals a test expects. */
export const signedIn = async (
  browser: Browser,
  port: number,
  path: string,
  { look = {}, refused = [] }: { readonly look?: Look; readonly refused?: ReadonlyArray<string> } = {}
): Promise<ConsolePage> =>
  signInAt(browser, { port }, path, { look, expected: new RegExp([...always, ...refused].join("|")) })

/** As many presses at most: more than a person has patience for. */
const mostPresses = 150

/** Presses Tab until the focus is on what has this role and begins with this name. */
export const tabTo = async (page: Page, role: string, name: string): Promise<void> => {
  const wanted = JSON.stringify(name)
  for (let presses = 0; presses < mostPresses; presses++) {
    await page.keyboard.press("Tab")
    const isThere = await page.evaluate<boolean>(
      `(() => { const at = document.activeElement
        return at !== null && at.matches(${JSON.stringify(role)}) && ((at.getAttribute("aria-label") ?? at.textContent ?? "").trim().startsWith(${wanted})) })()`
    )
    if (isThere) return
  }
  throw new Error(`Tab never came to ${role} ${name}`)
}

/** Presses Tab, or Shift and Tab, until the focus is on this. */
export const tabOn = async (wanted: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> => {
  await wanted.waitFor()
  const page = wanted.page()
  for (let presses = 0; presses < mostPresses; presses++) {
    await page.keyboard.press(key)
    if ((await wanted.and(page.locator(":focus")).count()) > 0) return
  }
  throw new Error(`${key} never came to ${wanted.toString()}`)
}

/** How wide the page is, in px: more than its window is a page that scrolls sideways. */
export const widthOf = ({ page }: ConsolePage): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth")
