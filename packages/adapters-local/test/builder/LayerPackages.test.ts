import { writeFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { layerHere } from "./Here.ts"
import { type LayerFiles, makeLayers } from "./Layers.ts"

const layers = makeLayers()
const shared = ManagedRuntime.make(layerHere({ packageLayers: layers.folder }))
afterAll(async () => {
  await shared.dispose()
  layers.remove()
})

const build = (files: Tree, packages: LayerFiles | null) =>
  shared.runPromise(
    buildOnce(
      buildJob(files, { id: crypto.randomUUID(), ...(packages === null ? {} : { packages: layers.make(packages) }) })
    )
  )
const built = async (files: Tree, packages: LayerFiles | null) => {
  const result = await build(files, packages)
  if (result._tag !== "Built") throw new Error(JSON.stringify(result))
  return { ...result, code: result.bundle.modules["index.js"]?.content ?? "" }
}
const problemsOf = async (files: Tree, packages: LayerFiles | null) => {
  const result = await build(files, packages)
  if (result._tag !== "Refused") throw new Error(JSON.stringify(result).slice(0, 2000))
  return result.problems
}
const worker = (body: string): Tree => ({
  "src/index.ts": `${body}\nexport default { fetch: () => new Response("") }\n`
})
const json = (value: unknown) => JSON.stringify(value)

describe("packages of a lock file", () => {
  it("are found in the nearest node_modules upward, nested ones first", async () => {
    const { code } = await built(worker(`import { a } from "a"\nimport { b } from "b"\nconsole.log(a, b)`), {
      files: {
        "a/package.json": json({ name: "a", main: "./index.js" }),
        "a/index.js": `import { b } from "b"\nexport const a = "a of " + b`,
        "a/node_modules/b/package.json": json({ name: "b", module: "m.js", main: "./c.js" }),
        "a/node_modules/b/m.js": `export const b = "nested b"`,
        "b/package.json": json({ name: "b", type: "module", main: "lib" }),
        "b/lib/index.js": `export const b = "upper b"`
      }
    })
    for (const text of ["nested b", "upper b", "a of "]) expect(code).toContain(text)
  })

  it("are found through links as pnpm makes them, from the real place of who imports", async () => {
    const { code } = await built(worker(`import { a } from "a"\nconsole.log(a)`), {
      files: {
        ".pnpm/a@1/node_modules/a/package.json": json({ name: "a", exports: "./i.js" }),
        ".pnpm/a@1/node_modules/a/i.js": `import { b } from "@s/b/deep"\nexport const a = b`,
        ".pnpm/b@2/node_modules/@s/b/package.json": json({ name: "@s/b" }),
        ".pnpm/b@2/node_modules/@s/b/deep.js": `export const b = "b by link"`
      },
      links: { a: ".pnpm/a@1/node_modules/a", ".pnpm/a@1/node_modules/@s/b": ".pnpm/b@2/node_modules/@s/b" }
    })
    expect(code).toContain("b by link")
    const [missing] = await problemsOf(worker(`import { b } from "@s/b"\nconsole.log(b)`), {
      files: { ".pnpm/b@2/node_modules/@s/b/package.json": json({ name: "@s/b" }) }
    })
    expect(missing).toMatchObject({ code: "package_missing", file: "src/index.ts", line: 1 })
  })

  it.each([
    [{ workerd: "./right.js", default: "./wrong.js" }, "p"],
    [{ node: "./wrong.js", worker: "./right.js" }, "p"],
    [{ browser: { import: "./right.js", require: "./wrong.js" } }, "p"],
    [{ module: "./right.js", import: "./wrong.js" }, "p"],
    [{ ".": "./wrong.js", "./sub": "./right.js" }, "p/sub"],
    [{ "./*": null, "./f/*": "./*.js" }, "p/f/right"]
  ])("are entered by their exports: %j", async (exports, specifier) => {
    const { code } = await built(worker(`import { v } from "${specifier}"\nconsole.log(v)`), {
      files: {
        "p/package.json": json({ name: "p", exports, main: "./wrong.js" }),
        "p/right.js": `export const v = "it is right"`,
        "p/wrong.js": `export const v = "it is wrong"`
      }
    })
    expect(code).toContain("it is right")
    expect(code).not.toContain("it is wrong")
  })

  it("give a browser what their browser field says, as one file and as a map, and nothing for false", async () => {
    const { code } = await built(worker(`import { v } from "one"\nimport { w } from "two"\nconsole.log(v, w)`), {
      files: {
        "one/package.json": json({ name: "one", browser: "./b.js", module: "./m.js" }),
        "one/b.js": `export const v = "for browsers"`,
        "one/m.js": `export const v = "for all"`,
        "two/package.json": json({
          name: "two",
          main: "./m.js",
          browser: { "./node.js": "./web.js", fs: false, other: "./shim.js" }
        }),
        "two/m.js": `const { w } = require("./node")\nconst fs = require("fs")\nmodule.exports = { w: w + typeof fs.open + require("other").o }`,
        "two/node.js": `exports.w = "of node"`,
        "two/web.js": `exports.w = "of the web"`,
        "two/shim.js": `exports.o = "shimmed"`
      }
    })
    for (const text of ["for browsers", "of the web", "shimmed"]) expect(code).toContain(text)
    for (const text of ["for all", "of node"]) expect(code).not.toContain(text)
  })

  it("import themselves by name, and what their imports name", async () => {
    const { code } = await built(worker(`import { v } from "alias"\nconsole.log(v)`), {
      files: {
        "alias/package.json": json({
          name: "own",
          exports: { ".": "./i.js", "./x": "./x.js" },
          imports: { "#y": { workerd: "./y.js" } }
        }),
        "alias/i.js": `import { x } from "own/x"\nimport { y } from "#y"\nexport const v = x + y`,
        "alias/x.js": `export const x = "self"`,
        "alias/y.js": `export const y = "hash"`
      },
      names: { alias: "own" }
    })
    expect(code).toContain("self")
    expect(code).toContain("hash")
  })

  it.each(["../../src/secret.js", "/src/secret.js", "../../../../etc/hostname", "file:///etc/hostname", "secret"])(
    "never reach the project or the machine by %s",
    async (specifier) => {
      const [problem] = await problemsOf(
        { ...worker(`import "p"`), "src/secret.js": "export default 1", "node_modules/secret/index.js": "1" },
        {
          files: {
            "p/package.json": json({ name: "p", main: "./i.js" }),
            "p/i.js": `import ${json(specifier)}`
          }
        }
      )
      expect(problem?.code).toMatch(/import_outside|import_remote|package_missing/)
      expect(problem).toMatchObject({ file: "node_modules/p/i.js", line: 1 })
    }
  )

  it.each(["./../q/i.js", "./node_modules/q/i.js", "./a/../../q/i.js", "./%2e%2e%2fq/i.js"])(
    "whose exports lead out of them (%s) are refused",
    async (target) => {
      const [problem] = await problemsOf(worker(`import "p"`), {
        files: { "p/package.json": json({ name: "p", exports: target }), "q/i.js": "" }
      })
      expect(problem).toMatchObject({ code: "package_exports_outside", file: "src/index.ts", line: 1 })
    }
  )

  it("are read only where no link of the disk leads elsewhere", async () => {
    const made = layers.make({ files: { "p/package.json": json({ name: "p" }), "p/index.js": "export default 1" } })
    const place = join(layers.folder, made.id, "node_modules/p/index.js")
    const outside = join(layers.folder, "outside.js")
    writeFileSync(outside, "export default 'from outside'")
    rmSync(place)
    symlinkSync(outside, place)
    const job = buildJob(worker(`import p from "p"\nconsole.log(p)`), { id: crypto.randomUUID(), packages: made })
    const result = await shared.runPromise(buildOnce(job))
    expect(result._tag).toBe("Refused")
    expect(JSON.stringify(result)).not.toContain("from outside")
  })

  it("that are not on this machine make the builder unavailable, and nothing is refused", async () => {
    const job = buildJob(worker(""), { id: crypto.randomUUID(), packages: { id: "gone", packages: [] } })
    const failed = await shared.runPromiseExit(buildOnce(job))
    expect(JSON.stringify(failed)).toContain("BuilderUnavailable")
  })

  it("leave to the run what they catch, and refuse what they do not", async () => {
    const { code } = await built(worker(`import { v } from "p"\nconsole.log(v)`), {
      files: {
        "p/package.json": json({ name: "p", main: "./i.js" }),
        "p/i.js": `let v = "none"\ntry { v = require("optional") } catch {}\nimport("other").catch(() => {})\nexports.v = v`
      }
    })
    expect(code).toContain("optional")
    const [problem] = await problemsOf(worker(`import { v } from "p"\nconsole.log(v)`), {
      files: { "p/package.json": json({ name: "p" }), "p/index.js": `\nexports.v = require("optional")` }
    })
    expect(problem).toMatchObject({
      code: "package_missing",
      file: "node_modules/p/index.js",
      line: 2,
      message: expect.stringContaining("the lock file has no such package")
    })
  })

  it("do not count as source, and too much of them is refused by name", async () => {
    const big = `export default "${"x".repeat(11 * 1024 * 1024)}"`
    const [problem] = await problemsOf(worker(`import a from "a"\nimport b from "b"\nconsole.log(a, b)`), {
      files: {
        "a/package.json": json({ name: "a" }),
        "a/index.js": "export default 1",
        "b/package.json": json({ name: "b" }),
        "b/index.js": big
      }
    })
    expect(problem).toMatchObject({ code: "module_over_limit", message: expect.stringContaining("b (11.0 MiB)") })
    const many = Object.fromEntries(
      [1, 2, 3, 4].flatMap((each) => [
        [`m${each}/package.json`, json({ name: `m${each}` })],
        [`m${each}/index.js`, big]
      ])
    )
    const [over] = await problemsOf(
      worker(`import a from "m1"\nimport b from "m2"\nimport c from "m3"\nimport d from "m4"\nconsole.log(a, b, c, d)`),
      { files: many }
    )
    expect(over).toMatchObject({ code: "packages_over_limit", message: expect.stringContaining("(11.0 MiB)") })
  })

  it("that do nothing by themselves leave nothing behind when nothing of them is used", async () => {
    const { code } = await built(worker(`import { used } from "p"\nimport "p/loud.js"\nconsole.log(used)`), {
      files: {
        "p/package.json": json({ name: "p", sideEffects: ["*.css", "./loud.js"], module: "i.js" }),
        "p/i.js": `export * from "./used.js"\nexport * from "./quiet.js"`,
        "p/used.js": `export const used = "used"`,
        "p/quiet.js": `globalThis.quiet = 1\nexport const unused = 1`,
        "p/loud.js": `globalThis.loud = 1`
      }
    })
    expect(code).toContain("loud = 1")
    expect(code).not.toContain("quiet = 1")
  })

  it("bring JSX, JSON, text, Wasm and data along", async () => {
    const wasm = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
    const { bundle, code } = await built(
      {
        "src/index.tsx": `import kit from "kit"\nimport styles from "./a.module.css"\nconst page = <main class={styles.box}>{kit}</main>\nexport default { fetch: () => new Response(String(page)) }`,
        "src/a.module.css": `.box { color: red; background: url("./x.png") }`,
        "wrangler.json": json({ main: "src/index.tsx" }),
        "tsconfig.json": `{ "extends": "@c/base", "compilerOptions": { "jsx": "react-jsx" } }`
      },
      {
        files: {
          "@c/base/package.json": json({ name: "@c/base" }),
          "@c/base/tsconfig.json": json({ compilerOptions: { jsxImportSource: "mini" } }),
          "mini/package.json": json({ name: "mini", exports: { "./jsx-runtime": "./r.js" } }),
          "mini/r.js": `export const jsx = (tag, props) => "mini jsx " + tag\nexport const jsxs = jsx`,
          "kit/package.json": json({ name: "kit" }),
          "kit/index.js": `import a from "./a.txt"\nimport b from "./b.bin"\nimport c from "./c.wasm"\nimport d from "./d.json"\nexport default [a, b, c, d.e]`,
          "kit/a.txt": "text of kit",
          "kit/b.bin": new Uint8Array([1, 2]),
          "kit/c.wasm": wasm,
          "kit/d.json": json({ e: "json of kit" })
        }
      }
    )
    expect(code).toContain("mini jsx")
    expect(code).toContain("json of kit")
    expect(code).toContain("a_box")
    expect(
      Object.values(bundle.modules)
        .map(({ type }) => type)
        .sort()
    ).toEqual(["data", "esm", "text", "wasm"])
    expect(bundle.warnings?.map((warning) => warning.code)).toEqual(["styles_not_served"])
  })

  it("are real login by any name they have here, also deep inside other packages", async () => {
    const deep = await problemsOf(worker(`import "p"`), {
      files: {
        "p/package.json": json({ name: "p" }),
        "p/index.js": `\n\nimport "bcryptjs"`,
        "bcryptjs/package.json": json({ name: "bcryptjs" }),
        "bcryptjs/index.js": ""
      }
    })
    expect(deep).toMatchObject([{ code: "auth_package", file: "node_modules/p/index.js", line: 3 }])
    const alias = await problemsOf(worker(`\nimport "sums"`), {
      files: { "sums/package.json": json({ name: "sums" }), "sums/index.js": "" },
      names: { sums: "argon2" }
    })
    expect(alias).toMatchObject([
      { code: "auth_package", file: "src/index.ts", line: 2, message: expect.stringContaining("argon2") }
    ])
  })

  it("that nothing names are asked for in words that say what to do", async () => {
    const [without] = await problemsOf(
      { ...worker(`import "left-pad"`), "package.json": json({ dependencies: { "left-pad": "1" } }) },
      null
    )
    expect(without?.message).toContain("there is no lock file")
    expect(without?.message).toContain("npm install --package-lock-only")
    const far = "git+https://example.test/far.git"
    const [foreign] = await problemsOf(
      { ...worker(`import "far"`), "package.json": json({ dependencies: { far } }) },
      null
    )
    expect(foreign?.message).toContain(`package.json asks for "${far}", which comes from git`)
    const [unlisted] = await problemsOf(worker(`import "left-pad"`), { files: {} })
    expect(unlisted?.message).toContain("Add it to the dependencies of package.json")
  })

  it("come before those that Pawl brings along, and the source's own names by tsconfig before all", async () => {
    const { code } = await built(
      {
        ...worker(
          `import { Hono } from "hono"\nimport { x } from "@/lib/x"\nimport { y } from "lib/y"\nconsole.log(Hono, x, y)`
        ),
        "src/lib/x.ts": `export const x = "by paths"`,
        "src/lib/y.ts": `export const y = "by baseUrl"`,
        "tsconfig.json": `{ // comments are fine\n "compilerOptions": { "baseUrl": "./src", "paths": { "@/*": ["./*"] } } }`
      },
      { files: { "hono/package.json": json({ name: "hono" }), "hono/index.js": `export const Hono = "locked hono"` } }
    )
    for (const text of ["locked hono", "by paths", "by baseUrl"]) expect(code).toContain(text)
  })
})
