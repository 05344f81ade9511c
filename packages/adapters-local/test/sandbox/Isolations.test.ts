import { existsSync } from "node:fs"
import { sandboxContract } from "@pawl/testing/contracts/sandbox/SandboxContract"
import { slice } from "@pawl/testing/Depth"
import { describe } from "vitest"
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

// What is used wherever it is there runs whole at every depth.
bubblewrap("BubblewrapSandbox", { layer: layer({ force: "bubblewrap" }), host: makeHost })

/** What takes its place where something is missing: each is hundreds of processes. */
const others = [
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
