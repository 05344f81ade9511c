/** Every part of Pawl in real workerd: objects, bucket, loader, containers. One installation for all, which starts once. */
import type { LittleRegistry } from "@pawl/testing/registry/LittleRegistry"
import { afterAll, beforeAll } from "vitest"
import { mainPaths } from "../e2e/kit/MainPaths.ts"
import { removals } from "../e2e/kit/Removals.ts"
import { install, type Installed } from "../../../../deploy/cloudflare/Here.ts"
import { kept } from "./suites/AppData.ts"
import { printed, tellers } from "./suites/AppLogs.ts"
import { assistants } from "./suites/Assistants.ts"
import { callers, rogues } from "./suites/Bindings.ts"
import { consoles } from "./suites/Console.ts"
import { contracts } from "./suites/Contract.ts"
import { copies } from "./suites/Copies.ts"
import { crashes } from "./suites/Crashes.ts"
import { gits } from "./suites/Git.ts"
import { clocks, hints, senders } from "./suites/Hints.ts"
import { links } from "./suites/Links.ts"
import { news } from "./suites/News.ts"
import { openRegistry, packaged } from "./suites/Packages.ts"
import { readiness } from "./suites/Ready.ts"
import { smokes } from "./suites/Smoke.ts"
import { crowds } from "./suites/Visitors.ts"

let here: Installed
let registry: LittleRegistry
beforeAll(async () => {
  registry = await openRegistry()
  here = await install({ registry: registry.url }, { also: (owner) => [...rogues(owner), ...senders, ...tellers] })
})
afterAll(async () => {
  await here.close()
  await registry.close()
})

const installed = () => here
const running = () =>
  Promise.resolve({
    api: here.api,
    origin: here.origin.replace("localhost", "127.0.0.1"),
    token: here.owner,
    stop: () => Promise.resolve()
  })

mainPaths("workerd", running)
removals("workerd", running)
kept(installed)
printed(installed)
callers(installed)
copies(installed)
news(installed)
gits(installed)
hints(installed)
consoles(installed)
contracts(installed)
readiness(installed)
links(installed)
assistants(installed)
smokes(installed)
packaged(installed)
crowds(installed)
crashes(installed)
clocks(installed)
