/** An installation in real workerd whose repositories are on the simulator's Artifacts. A quick run takes one Project to its end. */
import { depth } from "@pawl/testing/Depth"
import { afterAll, beforeAll } from "vitest"
import { install, type Installed } from "../../../../deploy/cloudflare/Here.ts"
import { mainPaths } from "../e2e/kit/MainPaths.ts"
import { gits } from "./suites/Git.ts"
import { smokes } from "./suites/Smoke.ts"

let here: Installed
beforeAll(async () => {
  here = await install({ repositories: "artifacts" })
})
afterAll(() => here.close())

smokes(() => here)
if (depth !== "quick") {
  gits(() => here)
  mainPaths("workerd with repositories on Artifacts", () =>
    Promise.resolve({
      api: here.api,
      origin: here.origin.replace("localhost", "127.0.0.1"),
      token: here.owner,
      stop: () => Promise.resolve()
    })
  )
}
