/** An installation whose queues lose every message: what Projects have is told all the same, a moment later. */
import { afterAll, beforeAll } from "vitest"
import { install, type Installed } from "../../../../deploy/cloudflare/Here.ts"
import { copies } from "./suites/Copies.ts"
import { news } from "./suites/News.ts"

let here: Installed
beforeAll(async () => {
  here = await install({ checks: null }, { losesMessages: true })
})
afterAll(() => here.close())

copies(() => here)
news(() => here)
