/**
 * `npm run screens -- <folder>`: takes a picture of every screen of the console in both themes, wide and narrow, from a
 * real server, and lays them out in `<folder>/index.html`. `--only <part of a name>` takes some. Needs Chromium.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import type { Browser } from "playwright-core"
import { buildConsole } from "../build/Console.ts"
import { openPage } from "../../packages/console/test/browser/kit/ConsolePage.ts"
import { browserMissing, launch } from "../../packages/server/test/e2e/kit/BrowserProbe.ts"
import { temporaryFolder, token } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { fillShop, startShop } from "./ExampleShop.ts"
import { type Shot, shotsOf } from "./Paths.ts"
import { fileOf, type SheetLook, sheetLooks, sheetOf } from "./Sheet.ts"

/** Takes all pictures of one look, by one page that is signed in. Answers what the pages complained of. */
const takeAll = async (
  browser: Browser,
  origin: string,
  into: string,
  look: SheetLook,
  shots: ReadonlyArray<Shot>
): Promise<ReadonlyArray<string>> => {
  const { complaints, context, page } = await openPage(browser, origin, {
    ...look,
    height: look.width < 500 ? 844 : 800
  })
  await page.goto(`${origin}/`)
  await page.getByLabel("API token").waitFor()
  await page.screenshot({ path: join(into, fileOf("sign-in", look)), fullPage: true })
  await page.getByLabel("API token").fill(token)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.locator('main[data-settled="true"]').waitFor()
  for (const { name, path } of shots) {
    await page.goto(origin + path)
    await page.locator('main[data-settled="true"] h1').waitFor()
    // What is asked for after an answer: for a moment nothing is.
    await page.locator("main .skeleton").first().waitFor({ state: "detached" })
    await page.waitForLoadState("networkidle", { timeout: 500 }).catch(() => undefined)
    await page.screenshot({ path: join(into, fileOf(name, look)), fullPage: true })
  }
  await context.close()
  return complaints.map((each) => `${look.theme}, ${look.width} px: ${each}`)
}

const { positionals, values } = parseArgs({ allowPositionals: true, options: { only: { type: "string" } } })
const [folder] = positionals
if (folder === undefined || browserMissing !== null) {
  console.error(folder === undefined ? "npm run screens -- <folder> [--only <part of a name>]" : browserMissing)
  process.exit(2)
}
const into = resolve(folder)
mkdirSync(into, { recursive: true })
await buildConsole(join(import.meta.dirname, "../.."), (line) => console.log(line))
const data = temporaryFolder()
const { server, stop } = await startShop(data.path)
const browser = await launch()
try {
  const shots = shotsOf(await fillShop(server)).filter(({ name }) => name.includes(values.only ?? ""))
  for (const look of sheetLooks)
    for (const each of await takeAll(browser, `http://localhost:${server.port}`, into, look, shots)) console.error(each)
  writeFileSync(join(into, "index.html"), sheetOf(["sign-in", ...shots.map(({ name }) => name)]))
  console.log(`${(shots.length + 1) * sheetLooks.length} pictures: ${join(into, "index.html")}`)
} finally {
  await browser.close()
  await stop()
  data.remove()
}
