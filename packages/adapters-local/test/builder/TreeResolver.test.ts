import { describe, expect, it } from "vitest"
import { resolve } from "@pawl/adapters-local/builder/bundler/TreeResolver"
import type { Tree } from "@pawl/adapters-local/builder/bundler/TreePaths"

const treeOf = (files: Readonly<Record<string, string>>): Tree => ({
  has: (path) => Object.hasOwn(files, path),
  text: (path) => (Object.hasOwn(files, path) ? files[path] : undefined)
})
const find = (
  files: Readonly<Record<string, string>>,
  specifier: string,
  importer = "src/index.ts",
  kind: "import" | "require" = "import",
  flags: ReadonlyArray<string> = []
) => {
  const found = resolve(treeOf(files), { specifier, importer, kind, flags })
  switch (found._tag) {
    case "File":
      return found.path
    case "Vendored":
      return `vendored ${found.path}`
    case "Package":
      return `package ${found.path}`
    case "Empty":
      return "empty"
    case "Runtime":
      return `runtime ${found.name}`
    case "Refused":
      return `refused ${found.code}`
  }
}

describe("TreeResolver", () => {
  it("finds a relative file by its name, without its extension, by its compiled name and as a folder", () => {
    const files = {
      "src/a.ts": "",
      "src/b.tsx": "",
      "src/c/index.js": "",
      "lib/d.js": "",
      "src/e.mts": "",
      "src/c.data/x.json": ""
    }
    expect(find(files, "./a.ts")).toBe("src/a.ts")
    expect(find(files, "./a")).toBe("src/a.ts")
    expect(find(files, "./a.js")).toBe("src/a.ts")
    expect(find(files, "./b.js")).toBe("src/b.tsx")
    expect(find(files, "./e.mjs")).toBe("src/e.mts")
    expect(find(files, "./c")).toBe("src/c/index.js")
    expect(find(files, "./c/")).toBe("src/c/index.js")
    expect(find(files, "../lib/d")).toBe("lib/d.js")
    expect(find(files, "..")).toBe("refused import_missing")
    expect(find(files, "./none")).toBe("refused import_missing")
    expect(find(files, "./A.ts")).toBe("refused import_missing")
  })

  it.each([
    ["../../etc/passwd", "import_outside"],
    ["../../../../root/.ssh/id", "import_outside"],
    ["/etc/passwd", "import_outside"],
    ["//host/x", "import_outside"],
    ["C:\\x", "import_outside"],
    ["\\\\host\\x", "import_outside"],
    ["file:///etc/passwd", "import_remote"],
    ["https://example.com/x.js", "import_remote"],
    ["data:text/javascript,1", "import_remote"],
    ["lodash/../../x", "import_missing"],
    ["", "import_missing"],
    ["@", "import_missing"],
    [".hidden", "import_missing"]
  ])("refuses %s: nothing outside the tree can be reached", (specifier, code) => {
    expect(find({ "src/a.ts": "" }, specifier)).toBe(`refused ${code}`)
  })

  it("says which package is missing and who imports it", () => {
    const found = resolve(treeOf({}), {
      specifier: "@scope/kit/deep/file",
      importer: "src/shop/cart.ts",
      kind: "import",
      flags: []
    })
    expect(found).toMatchObject({
      _tag: "Refused",
      code: "package_missing",
      message: expect.stringMatching(/^src\/shop\/cart\.ts imports .*"@scope\/kit"/)
    })
  })

  it("finds packages in the tree's own node_modules, nearest first", () => {
    const files = {
      "node_modules/kit/package.json": '{ "main": "lib/old.js", "module": "lib/new", "browser": "../../secret.js" }',
      "node_modules/kit/lib/new.js": "",
      "node_modules/kit/lib/old.js": "",
      "node_modules/kit/extra.js": "",
      "src/node_modules/kit/index.js": ""
    }
    expect(find(files, "kit", "test/a.ts")).toBe("node_modules/kit/lib/new.js")
    expect(find(files, "kit/extra", "test/a.ts")).toBe("node_modules/kit/extra.js")
    expect(find(files, "kit", "src/deep/a.ts")).toBe("src/node_modules/kit/index.js")
  })

  it("follows the exports of a package for a Worker, and nothing that it does not export", () => {
    const exports = {
      ".": { node: "./node.js", workerd: { import: "./worker.mjs", require: "./worker.cjs" }, default: "./other.js" },
      "./features/*": "./src/*.js",
      "./features/private/*": null,
      "./up": "./../../secret.js",
      "./abs": "/etc/passwd"
    }
    const files = {
      "node_modules/kit/package.json": JSON.stringify({ name: "kit", exports }),
      "node_modules/kit/worker.mjs": "",
      "node_modules/kit/worker.cjs": "",
      "node_modules/kit/src/a.js": "",
      "node_modules/kit/src/private/b.js": "",
      "node_modules/kit/hidden.js": "",
      "secret.js": ""
    }
    expect(find(files, "kit")).toBe("node_modules/kit/worker.mjs")
    expect(find(files, "kit", "src/a.ts", "require")).toBe("node_modules/kit/worker.cjs")
    expect(find(files, "kit/features/a")).toBe("node_modules/kit/src/a.js")
    for (const closed of ["kit/features/private/b", "kit/up", "kit/abs", "kit/hidden.js", "kit/none"])
      expect(find(files, closed)).toBe("refused import_missing")
  })

  it("follows #imports of the package that imports", () => {
    const files = {
      "package.json":
        '{ "imports": { "#db": "./src/db.ts", "#lib/*": "./lib/*.ts", "#loop": "#loop", "#kit": "kit" } }',
      "src/db.ts": "",
      "lib/x.ts": "",
      "node_modules/kit/index.js": ""
    }
    expect(find(files, "#db")).toBe("src/db.ts")
    expect(find(files, "#lib/x")).toBe("lib/x.ts")
    expect(find(files, "#kit")).toBe("node_modules/kit/index.js")
    expect(find(files, "#loop")).toBe("refused import_missing")
    expect(find(files, "#none")).toBe("refused import_missing")
  })

  it("gives the runtime's own modules, Node's only with their flag", () => {
    expect(find({}, "cloudflare:workers")).toBe("runtime cloudflare:workers")
    expect(find({}, "cloudflare:internal")).toBe("refused runtime_module_refused")
    expect(find({}, "node:fs")).toBe("refused compatibility_flag_missing")
    expect(find({}, "fs")).toBe("refused compatibility_flag_missing")
    expect(find({}, "node:fs", "a.ts", "import", ["nodejs_compat"])).toBe("runtime node:fs")
    expect(find({}, "fs/promises", "a.ts", "import", ["nodejs_compat_v2"])).toBe("runtime node:fs/promises")
    expect(find({}, "node:async_hooks", "a.ts", "import", ["nodejs_als"])).toBe("runtime node:async_hooks")
    expect(find({}, "node:fs", "a.ts", "import", ["nodejs_als"])).toBe("refused compatibility_flag_missing")
    expect(find({}, "node:test", "a.ts", "import", ["nodejs_compat"])).toBe("refused runtime_module_refused")
    expect(find({ "node_modules/buffer/index.js": "" }, "buffer")).toBe("node_modules/buffer/index.js")
    expect(find({}, "workerd:unsafe")).toBe("refused import_remote")
  })

  it("survives a package.json that is broken, no object, or nested a thousand deep", () => {
    const deep = `{"exports":${'{"default":'.repeat(1000)}"./a.js"${"}".repeat(1001)}`
    for (const text of ["{", "null", "[]", '"x"', '{"main":5}', deep])
      expect(find({ "node_modules/kit/package.json": text, "node_modules/kit/a.js": "" }, "kit")).toMatch(
        /^refused (package|import)_missing$/
      )
  })
})
