/** The digests of scripts that have Node's modules: those of the runtime, where others carry code for them. */
import type { Plugin } from "esbuild"
import type { Script } from "./Scripts.ts"

/** As the library of digests has one: called with bytes, or fed with them one after the other. */
const digestsOf = (name: string): string => `import { createHash } from "node:crypto"
const create = () => {
  const hash = createHash("${name}")
  const digest = { update: (bytes) => (hash.update(bytes), digest), digest: () => new Uint8Array(hash.digest()) }
  return digest
}
export const ${name} = Object.assign((bytes) => create().update(bytes).digest(), { create })`

/** For a script that is given these flags. */
export const runtimeDigests = (flags: Script["flags"]): Plugin => ({
  name: "runtime-digests",
  setup: (each) => {
    if (!flags.includes("nodejs_compat")) return
    for (const [filter, name] of [
      [/@noble\/hashes\/sha2\.js$/, "sha256"],
      [/@noble\/hashes\/legacy\.js$/, "sha1"]
    ] as const)
      each.onLoad({ filter }, () => ({ loader: "js", contents: digestsOf(name) }))
  }
})
