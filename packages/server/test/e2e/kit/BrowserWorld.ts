/** A real server and a real browser that a block of tests has, from its first test to its last. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { launch } from "./BrowserProbe.ts"
import { freePort } from "./LoadBalancer.ts"
import { type ServerProcess, type StartOptions, startServer, temporaryFolder } from "./ServerProcess.ts"

/** What the tests of a block share. */
export interface BrowserWorld {
  readonly server: ServerProcess
  readonly browser: Browser
  /** The server's data folder. */
  readonly folder: string
  /** Puts another server on the same folder in its place, when the one that there was has ended. */
  readonly startAgain: (environment?: StartOptions["environment"]) => Promise<void>
}

/** How a world begins. */
export interface WorldOptions {
  /** Of the server; asked when the block begins. */
  readonly environment?: () => StartOptions["environment"] | Promise<StartOptions["environment"]>
}

const begun = <A>(part: A | undefined): A => {
  if (part === undefined) throw new Error("a world is there from its first hook on, if it could begin")
  return part
}

/**
 * To be called in a block of tests, before its own hooks: they find both there. What a block ends by itself, it ends before
 * them; what they need to their end begins before the world does.
 */
export const browserWorld = ({ environment }: WorldOptions = {}): BrowserWorld => {
  const folder = temporaryFolder()
  let server: ServerProcess | undefined
  let browser: Browser | undefined
  const start = async (given: StartOptions["environment"] = {}) => {
    server = await startServer({ data: folder.path, environment: given })
  }
  beforeAll(async () => {
    const given = await environment?.()
    ;[browser] = await Promise.all([launch(), start(given)])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    folder.remove()
  })
  return {
    get server() {
      return begun(server)
    },
    get browser() {
      return begun(browser)
    },
    folder: folder.path,
    startAgain: start
  }
}

/** Addresses of a console and of apps that are of one site for browsers: the last two names are what they call one. */
export const oneSite = async () => {
  const port = await freePort()
  const console = `http://console.site.localhost:${port}`
  const environment = {
    PAWL_PORT: String(port),
    PAWL_BASE_URL: console,
    PAWL_APPS_DOMAIN: "apps.site.localhost"
  }
  return { console, environment }
}
