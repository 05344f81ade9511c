/**
 * What holds the objects without the parts that its installation has not: an operator chooses the bindings when the scripts
 * are laid out, so nothing would ever call them.
 */
import { readFile } from "node:fs/promises"
import { namedByModule } from "../../packages/adapters-cloudflare/deploy/Bundler.ts"
import type { Plugin } from "esbuild"
import type { Script } from "./Scripts.ts"

type Bindings = Script["bindings"]

interface Part {
  readonly path: RegExp
  readonly isBound: (bindings: Bindings) => boolean
}

/** Each is chosen by `server/src/workers/ObjectParts.ts`, by the same binding. */
const parts: ReadonlyArray<Part> = [
  { path: /server\/src\/models\/ModelPorts\.ts$/, isBound: (bindings) => "ASKED" in bindings },
  { path: /sandbox\/ContainerSandbox\.ts$/, isBound: (bindings) => "CHECKS" in bindings },
  { path: /repositories\/ArtifactsRepositories\.ts$/, isBound: (bindings) => "ARTIFACTS" in bindings },
  { path: /repositories\/PackLogRepositories\.ts$/, isBound: (bindings) => !("ARTIFACTS" in bindings) }
]

/** What apps keep is in stores of their own: nobody asks the rows of a Project for it. */
const noAppData = "export const make = () => null"

/** A module with the same functions, of which each says that nobody may call it. */
const uncalled = (text: string): string => {
  const names = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => `uncalled as ${name}`)
  return `const uncalled = () => { throw new Error("this installation has no such part") }
export { ${names.join(", ")} }`
}

/** For a script with these bindings. */
export const withoutUnbound = (bindings: Bindings): Plugin => ({
  name: "without-unbound",
  setup: (each) => {
    // Only what holds the objects chooses among them.
    if (!("PROJECTS" in bindings)) return
    if ("STORES" in bindings)
      each.onLoad({ filter: /sql\/src\/SqlAppData\.ts$/ }, () => ({ loader: "ts", contents: noAppData }))
    for (const { isBound, path: filter } of parts)
      each.onLoad({ filter }, async ({ path }) => {
        const text = await readFile(path, "utf8")
        return { loader: "ts", contents: isBound(bindings) ? namedByModule(text) : uncalled(text) }
      })
  }
})
