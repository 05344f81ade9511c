/** A real server with the console of these sources, and a browser, for a block of tests. */
import { beforeAll } from "vitest"
import { browserWorld, type BrowserWorld, type WorldOptions } from "../../../../server/test/e2e/kit/BrowserWorld.ts"
import { buildConsole } from "./BuiltConsole.ts"

/** As `browserWorld`, with the console built first. */
export const consoleWorld = (options: WorldOptions = {}): BrowserWorld => {
  beforeAll(buildConsole)
  return browserWorld(options)
}
