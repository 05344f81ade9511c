import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { buildJob, buildOnce } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeLayers } from "../builder/Layers.ts"
import { hostileImports } from "./HostileImports.ts"

const secret = "what lies beside the layers"
const layers = makeLayers()
const shared = ManagedRuntime.make(layer({ packageLayers: layers.folder }))
beforeAll(() => writeFileSync(join(layers.folder, "outside.js"), `export default ${JSON.stringify(secret)}`))
afterAll(async () => {
  await shared.dispose()
  layers.remove()
})

const build = (source: string, files: Readonly<Record<string, string>>) =>
  shared.runPromise(
    buildOnce(
      buildJob(
        {
          "src/index.ts": `${source}\nexport default { fetch: () => new Response("") }\n`,
          "src/secret.js": `export default ${JSON.stringify(secret)}`
        },
        { id: crypto.randomUUID(), packages: layers.make({ files }) }
      )
    )
  )

const numbered = hostileImports.map((each, at) => ({ ...each, name: `p${at}` }))
const refused = numbered.filter(({ code }) => code !== null)
const taken = numbered.filter(({ code }) => code === null)

/** All of them are imported, one in a line. */
const buildWith = (all: typeof numbered) =>
  build(
    all.map(({ below = "", name }) => `import * as ${name} from "${name}${below}"; console.log(${name})`).join("\n"),
    Object.assign(
      {
        "q/package.json": JSON.stringify({ name: "q", exports: {} }),
        "q/i.js": `export default ${JSON.stringify(secret)}`
      },
      ...(all.map(({ files = {}, manifest, name }) => ({
        [`${name}/package.json`]: JSON.stringify({ name, version: "1.0.0", ...manifest }),
        [`${name}/i.js`]: `export default "${name} is here"`,
        ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]))
      })) as ReadonlyArray<Readonly<Record<string, string>>>)
    ) as Readonly<Record<string, string>>
  )

describe("A build", () => {
  let results: Record<"refused" | "taken", Awaited<ReturnType<typeof build>>>
  beforeAll(async () => {
    results = { refused: await buildWith(refused), taken: await buildWith(taken) }
  })

  it.each(refused)("gets nothing from a package $title, and says so", ({ code, name }) => {
    const { refused: result } = results
    if (result._tag !== "Refused") throw new Error("built")
    const line = 1 + refused.findIndex((each) => each.name === name)
    const own = result.problems.filter(
      (problem) =>
        problem.file?.startsWith(`node_modules/${name}/`) || (problem.file === "src/index.ts" && problem.line === line)
    )
    expect(own.map((problem) => problem.code)).toEqual([code])
  })

  it.each(taken)("gets nothing else from a package $title", () => {
    expect(results.taken._tag).toBe("Built")
  })

  it("holds nothing of what they lead to, and tells nothing of where it lies", () => {
    for (const result of Object.values(results)) {
      expect(JSON.stringify(result)).not.toContain(secret)
      expect(JSON.stringify(result)).not.toContain(layers.folder)
    }
  })

  it("gets the runtime's own module where a package is called like one of Node's", async () => {
    const result = await build(`import { readFileSync } from "node:fs"\nimport "fs"\nconsole.log(readFileSync)`, {
      "fs/package.json": JSON.stringify({ name: "fs", main: "./i.js" }),
      "fs/i.js": `console.log("a package stands in for Node")`
    })
    expect(JSON.stringify(result)).not.toContain("stands in for Node")
  })
})
