/** How a browser signs in to a server that a test started, and what is the same in each visit. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { type ServerProcess, token } from "../../../../server/test/e2e/kit/ServerProcess.ts"
import { type ConsolePage, type Look, openPage } from "./ConsolePage.ts"

/** Browsers keep the cookie over plain http at `localhost` alone. */
export const originOf = ({ port }: Pick<ServerProcess, "port">): string => `http://localhost:${port}`

/** The link that the server printed, which signs its owner in once, leading to a path of the console. */
export const linkOf = ({ output }: Pick<ServerProcess, "output">, path = "/"): string => {
  const [, origin, code] =
    /^sign in (http:\/\/localhost:\d+)\/#login=(\S+) \(once, within 10 minutes\)$/m.exec(output.join("\n")) ?? []
  if (code === undefined) throw new Error(`the server printed no link:\n${output.join("\n")}`)
  return `${origin}${path}#login=${code}`
}

const isSession = (url: string): boolean => new URL(url).pathname === "/v1/session"

/** Opens a page at a path, and signs in there by a token, right or wrong. `expected` is as of `openPage`. */
export const signInAt = async (
  browser: Browser,
  server: Pick<ServerProcess, "port">,
  path: string,
  {
    expected,
    look = {},
    secret = token
  }: { readonly look?: Look; readonly secret?: string; readonly expected?: RegExp } = {}
): Promise<ConsolePage> => {
  const opened = await openPage(browser, originOf(server), look, expected)
  await opened.page.goto(originOf(server) + path)
  await opened.page.getByLabel("API token").fill(secret)
  // Who goes elsewhere before the answer is there takes the request back, and with it the cookie.
  const answered = opened.page.waitForResponse((each) => each.request().method() === "POST" && isSession(each.url()))
  await opened.page.getByRole("button", { name: "Sign in" }).click()
  await answered
  return opened
}

/** Pictures of the screens are kept where this says, for a person to look at. */
const pictures = process.env["PAWL_TEST_PICTURES"]

/** Keeps a picture of a whole page. */
export const picture = async ({ page }: Pick<ConsolePage, "page">, name: string): Promise<void> => {
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

/** Refusals that a test provoked are told by the browser too: they are taken out of its complaints, and no others. */
export const provoked = ({ complaints }: Pick<ConsolePage, "complaints">, ...statuses: ReadonlyArray<number>): void => {
  const told = complaints.filter((each) => !statuses.some((status) => each.includes(`status of ${status}`)))
  complaints.splice(0, complaints.length, ...told)
}
