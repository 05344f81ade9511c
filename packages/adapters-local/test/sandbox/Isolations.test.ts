import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sandboxContract } from "@pawl/testing/contracts/sandbox/SandboxContract"
import { slice } from "@pawl/testing/Depth"
import { Layer } from "effect"
import { afterAll, describe } from "vitest"
import { layerSpawner } from "../../src/spawner/Processes.ts"
import { layer } from "../../src/sandbox/LocalSandbox.ts"
import { makeHost } from "./SandboxHost.ts"

const missing = !existsSync("/usr/bin/bwrap")
if (missing)
  console.warn("SKIPPED: the bubblewrap suite, since bubblewrap is not installed: apt-get install bubblewrap")

const bubblewrap = (name: string, fixture: Parameters<typeof sandboxContract>[1]): void => {
  describe.skipIf(missing)("with bubblewrap (needs bubblewrap)", () => {
    sandboxContract(name, fixture)
  })
}

const run = mkdtempSync(join(tmpdir(), "pawl-isolations-"))
afterAll(() => rmSync(run, { recursive: true, force: true }))

// What a server has runs whole at every depth.
bubblewrap("BubblewrapSandbox by a spawner", {
  layer: layer({ force: "bubblewrap" }).pipe(Layer.provide(Layer.orDie(layerSpawner(run)))),
  host: makeHost
})

/** What takes its place where nobody gives a spawner or something is missing: each is hundreds of processes. */
const others = [
  () => bubblewrap("BubblewrapSandbox", { layer: layer({ force: "bubblewrap" }), host: makeHost }),
  () =>
    bubblewrap("BubblewrapSandbox without cgroups", {
      layer: layer({ force: "bubblewrap", cgroups: false }),
      host: makeHost,
      differsInLimits: true
    }),
  () => sandboxContract("UnshareSandbox", { layer: layer({ force: "unshare" }), host: makeHost }),
  () =>
    sandboxContract("UnshareSandbox without cgroups", {
      layer: layer({ force: "unshare", cgroups: false }),
      host: makeHost,
      differsInLimits: true
    })
]
for (const declared of slice(others, { quick: 1 })) declared()
