/** An app whose packages a lock file names, in an installation: from its source to its live page. */
import { createHash } from "node:crypto"
import { integrityOf, packageEntries, tgzOf } from "@pawl/testing/registry/Archives"
import { open, type LittleRegistry } from "@pawl/testing/registry/LittleRegistry"
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../../e2e/kit/Flow.ts"

const name = "greeting"
const archiveOf = (version: string) =>
  tgzOf(packageEntries(name, version, { "index.js": `export default "hello of ${version}"` }, { type: "module" }))

/** A registry that has what the apps of these tests import. */
export const openRegistry = (): Promise<LittleRegistry> =>
  open(...["1.0.0", "2.0.0"].map((version) => ({ name, version, archive: archiveOf(version) })))

/** A package.json and its lock; the integrity is that of `archive`. */
const locked = (version: string, archive = archiveOf(version)) => {
  const manifest = { name: "app", dependencies: { [name]: version } }
  const packages = { "": manifest, [`node_modules/${name}`]: { version, integrity: integrityOf(archive) } }
  return {
    "package.json": JSON.stringify(manifest),
    "package-lock.json": JSON.stringify({ lockfileVersion: 3, packages }, null, 2)
  }
}

const main = `import hello from "${name}"\nexport default { fetch: () => new Response(hello) }\n`
const checkless = { "pawl.json": JSON.stringify({ probes: [{ path: "/", status: 200 }] }) }

/** Tests of packages in an installation whose registry is `openRegistry`. */
export const packaged = (installed: () => Installed): void => {
  describe("An app with packages", () => {
    it("goes live with those of its lock, and moves on with it", async () => {
      const { api } = installed()
      const source = { ...Flow.source("none"), ...checkless, ...locked("1.0.0"), "src/index.js": main }
      const project = await Flow.createProject(api, "packaged", source)
      const { url } = await Flow.liveApp(api, project.id, 0)
      expect((await api.page(url)).text).toBe("hello of 1.0.0")
      const change = await Flow.openChange(api, project.id, "newer")
      await Flow.edit(api, change, locked("2.0.0"))
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      expect([candidate.status, candidate.reason]).toEqual(["verified", null])
      await Flow.promote(api, candidate.id)
      await Flow.liveApp(api, project.id, 1)
      expect((await api.page(url)).text).toBe("hello of 2.0.0")
    })

    it("is refused when its lock has another digest than the registry's archive", async () => {
      const { api } = installed()
      const project = await Flow.createProject(api, "tampered", { ...Flow.source("one"), ...checkless })
      await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "forged")
      const forged = locked("1.0.0", createHash("sha256").update("other").digest())
      await Flow.edit(api, change, { ...forged, "src/index.js": main })
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      expect(candidate.status).not.toBe("verified")
      const evidence = await Flow.evidence(api, candidate.id)
      expect(JSON.stringify(evidence)).toContain("is not what the lock says")
    })
  })
}
