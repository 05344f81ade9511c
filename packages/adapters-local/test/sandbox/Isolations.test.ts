import { existsSync } from "node:fs"
import { sandboxContract } from "@pawl/testing/contracts/sandbox/SandboxContract"
import { describe } from "vitest"
import { layer } from "../../src/sandbox/LocalSandbox.ts"
import { makeHost } from "./SandboxHost.ts"

const missing = !existsSync("/usr/bin/bwrap")
if (missing)
  console.warn("SKIPPED: the bubblewrap suite, since bubblewrap is not installed: apt-get install bubblewrap")

describe.skipIf(missing)("with bubblewrap (needs bubblewrap)", () => {
  sandboxContract("BubblewrapSandbox", { layer: layer({ force: "bubblewrap" }), host: makeHost })
  sandboxContract("BubblewrapSandbox without cgroups", {
    layer: layer({ force: "bubblewrap", cgroups: false }),
    host: makeHost,
    differsInLimits: true
  })
})

sandboxContract("UnshareSandbox", { layer: layer({ force: "unshare" }), host: makeHost })
sandboxContract("UnshareSandbox without cgroups", {
  layer: layer({ force: "unshare", cgroups: false }),
  host: makeHost,
  differsInLimits: true
})
