/** A real browser on this machine, and an app that shows what reaches it. */
import { spawnSync } from "node:child_process"
import { type Browser, chromium, type Page } from "playwright-core"

const executablePath = "/usr/bin/chromium"

/** Why this machine has no browser for tests; null when it has. */
export const browserMissing: string | null =
  spawnSync(executablePath, ["--version"]).status === 0 ? null : `needs Debian's chromium at ${executablePath}`

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run"
    ]
  })

/** Echoes cookies, sets those it is told to, and fails in two ways. */
export const probeApp = `export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === "/throw") throw new Error("on purpose")
    if (pathname === "/loop") for (;;) {}
    const headers = new Headers({ "content-type": "text/html; charset=utf-8" })
    for (const cookie of searchParams.getAll("set")) headers.append("set-cookie", cookie)
    const cookies = (request.headers.get("cookie") ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    return new Response("<!doctype html><title>probe</title><link rel=icon href=data:,><pre>" + cookies + "</pre>", { headers })
  }
}
`

/** The cookies that the probe app was sent by this visit, as it saw them. */
export const cookiesAt = async (page: Page, url: string): Promise<ReadonlyArray<string>> => {
  await page.goto(url)
  const text = (await page.locator("pre").textContent()) ?? ""
  return text === "" ? [] : text.split("; ").toSorted()
}

/** The address of the probe app that makes it set these cookies. */
export const setting = (url: string, ...cookies: ReadonlyArray<string>): string =>
  `${url}?${cookies.map((cookie) => `set=${encodeURIComponent(cookie)}`).join("&")}`
