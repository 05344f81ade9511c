/** A real server with the built console, its Projects, and a real browser: what the figures of the console share. */
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { buildConsole } from "../../../packages/console/test/browser/kit/BuiltConsole.ts"
import { live as hears } from "../../../packages/console/test/browser/kit/ConsolePage.ts"
import { originOf, signInAt } from "../../../packages/console/test/browser/kit/SignIn.ts"
import { lengthen } from "../../../packages/console/test/browser/kit/WrittenRows.ts"
import { browserMissing, launch } from "../../../packages/server/test/e2e/kit/BrowserProbe.ts"
import * as Flow from "../../../packages/server/test/e2e/kit/Flow.ts"
import { type ServerProcess, startServer } from "../../../packages/server/test/e2e/kit/ServerProcess.ts"
import { type Figure, figure, valueAtMost } from "../../Figure.ts"
import { lastly } from "../../Rounds.ts"

/** Generations of the long line. */
export const generations = 10_000
/** Changes of the Project that has many. */
export const changes = 1000

export interface World {
  readonly server: ServerProcess
  readonly origin: string
  readonly browser: Browser
  /** Ids, by label: `shop` has an app, `many` 1,000 Changes, `long` 10,000 generations and `young` 10. */
  readonly projects: Readonly<Record<"shop" | "many" | "long" | "young", string>>
  readonly rounds: number
  readonly say: (progress: string) => void
}

/** An app that prints as many lines as it is asked for. */
const printing = `export default { fetch: (request) => {
  const { searchParams } = new URL(request.url)
  const lines = Number(searchParams.get("lines") ?? 0)
  for (let n = 0; n < lines; n++) console.log("line " + (Number(searchParams.get("from")) + n))
  return new Response("one")
} }
`

const environment = { PAWL_APP_BUILDS_PER_DAY: "100000" }

/** Opens Changes in a Project, some at once, and answers their ids, the oldest first. */
export const openChanges = async (
  { api }: Pick<ServerProcess, "api">,
  projectId: string,
  count: number,
  name: string
): Promise<ReadonlyArray<string>> => {
  const opened: Array<string> = []
  for (let at = 0; at < count; at += 20) {
    const some = Array.from({ length: Math.min(20, count - at) }, (_, n) =>
      Flow.openChange(api, projectId, `${name} number ${at + n}`)
    )
    opened.push(...(await Promise.all(some)).map(({ id }) => id))
  }
  return opened
}

/** The Projects, whose long lines are written while no server runs: S0 over and over, as a test of the console has it. */
const seed = async (data: string): Promise<World["projects"]> => {
  const server = await startServer({ data, environment })
  const made = async (label: string, files = Flow.source("one")) => {
    const { id } = await Flow.createProject(server.api, label, files)
    await Flow.liveApp(server.api, id, 0)
    return id
  }
  const projects = {
    shop: await made("shop", Flow.source("one", { "src/index.js": printing })),
    many: await made("many"),
    long: await made("long"),
    young: await made("young")
  }
  await server.stop()
  lengthen(data, projects.long, generations)
  lengthen(data, projects.young, 10)
  return projects
}

/** Makes it, and ends it after `use`. */
export const withWorld = async <A>(
  folder: string,
  { rounds, say }: Pick<World, "rounds" | "say">,
  use: (world: World) => Promise<A>
): Promise<A> => {
  if (browserMissing !== null) throw new Error(browserMissing)
  say("preparing")
  buildConsole()
  const data = join(folder, "data")
  const projects = await seed(data)
  const [server, browser] = await Promise.all([startServer({ data, environment }), launch()])
  // Whatever ends this process, the server goes with it.
  const kill = () => void server.child.kill("SIGKILL")
  process.once("exit", kill)
  return lastly(use({ server, origin: originOf(server), browser, projects, rounds, say }), async () => {
    await browser.close()
    await server.stop()
    process.off("exit", kill)
  })
}

/** The page shows its screen and asks for nothing. */
export const settled = (page: Page): Promise<void> => page.locator('main[data-settled="true"] h1').waitFor()

/** … and hears news. */
export const live = async (page: Page): Promise<void> => {
  await hears(page)
  await settled(page)
}

/** A browser that is signed in, on an empty page. */
export const signedIn = async ({ browser, server }: World): Promise<{ context: BrowserContext; page: Page }> => {
  const { context, page } = await signInAt(browser, server, "/projects")
  await settled(page)
  await page.goto("about:blank")
  return { context, page }
}

/** Asks the page until what it says is true; the page's policy allows no code of ours within it that waits. */
export const untilTrue = async (page: Page, words: string): Promise<void> => {
  await Flow.until(
    () => page.evaluate<boolean>(words),
    (is) => is
  )
}

/** Whether a page asks the API for something: the stream of news stays open, and is no question. */
export const isQuestion = (url: string): boolean => {
  const { pathname } = new URL(url)
  return pathname.startsWith("/v1/") && pathname !== "/v1/changes-of-state"
}

/** Paths of the API that a page asks for from now on, with their queries. */
export const questionsOf = (page: Page): Array<string> => {
  const asked: Array<string> = []
  page.on("request", (request) => {
    const { pathname, search } = new URL(request.url())
    if (isQuestion(request.url())) asked.push(pathname + search)
  })
  return asked
}

/** A figure that has a bound and no floor. */
export const bounded = (name: string, value: number, unit: string, bound: number): Figure =>
  figure({
    name,
    value,
    unit,
    floor: "what it may be",
    floorValue: bound,
    ratio: value / bound,
    target: valueAtMost(bound, unit)
  })

/** The same with ratio 0 and 1 in place of a division by nothing. */
export const none = (name: string, value: number, unit: string): Figure =>
  figure({
    name,
    value,
    unit,
    floor: "what it may be",
    floorValue: 0,
    ratio: value === 0 ? 0 : 1,
    target: valueAtMost(0, unit)
  })
