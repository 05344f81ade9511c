/** A page of the console in a real browser, and what it complained about. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, BrowserContext, Page } from "playwright-core"

/** Milliseconds that the browser waits, on a busy machine. */
const patienceMs = 60_000

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** How the page is looked at. */
export interface Look {
  readonly theme?: "light" | "dark"
  readonly width?: number
  readonly height?: number
}

/** A page with its own cookies. */
export interface ConsolePage {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the console of the browser, violations of the policy, and requests to anybody else. */
  readonly complaints: Array<string>
  /** Waits until the screen with this heading is there and asks for nothing. */
  readonly settled: (heading: string) => Promise<void>
  /** Ids of the rules of WCAG 2.2 AA that the page breaks, each with the first element that does. */
  readonly broken: () => Promise<ReadonlyArray<string>>
}

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

/** Waits until the page hears news. By the state: "Not live" has the word, too. */
export const live = (page: Page): Promise<void> => page.locator('.connection[data-state="live"]').waitFor()

/** Opens an empty page. Refusals that a test expects are no complaints: `expected` matches their addresses. */
export const openPage = async (
  browser: Browser,
  origin: string,
  { height = 800, theme = "light", width = 1280 }: Look = {},
  expected: RegExp = /\/v1\/(session|changes-of-state)$/
): Promise<ConsolePage> => {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    timezoneId: "UTC",
    reducedMotion: "reduce",
    // axe is put into the page by us, past its policy.
    bypassCSP: false
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (message.type() === "error" && !expected.test(message.location().url)) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("request", (request) => {
    // What a frame asks for is the app's that is shown in it.
    const isOurs = request.frame() === page.mainFrame()
    if (isOurs && !request.url().startsWith(origin) && !request.url().startsWith("data:"))
      complaints.push(request.url())
  })
  await page.addInitScript({
    content: `document.addEventListener("securitypolicyviolation", (event) =>
      console.error("policy: " + event.violatedDirective + " " + event.blockedURI + " " + event.sample))`
  })
  return {
    page,
    context,
    complaints,
    settled: async (heading) => {
      await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor()
      await page.locator('main[data-settled="true"]').waitFor()
    },
    broken: async () => {
      // A button that may be used again changes its ground in a moment: in the middle of that it has neither's contrast.
      await page.evaluate(
        `Promise.all(document.getAnimations()
          .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
          .map(({ finished }) => finished.catch(() => undefined))).then(() => undefined)`
      )
      await page.evaluate(axe)
      const found = await page.evaluate<ReadonlyArray<Violation>>(
        `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then(({ violations }) => violations)`
      )
      return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
    }
  }
}
