import { readFileSync } from "node:fs"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { buildJob, buildOnce, type Tree } from "@pawl/testing/contracts/apps/AppBuilderContract"
import { authGroups, authPackage } from "@pawl/adapters-local/builder/auth/AuthPackages"
import { layer } from "@pawl/adapters-local/builder/bundler/EsbuildAppBuilder"
import { codes, look } from "./RealAuthLook.ts"

describe("a package of real login", () => {
  it.each([
    "@clerk/backend",
    "@clerk/backend/internal",
    "auth0",
    "@auth0/auth0-react",
    "@okta/okta-auth-js",
    "firebase/auth",
    "@supabase/supabase-js",
    "amazon-cognito-identity-js",
    "@workos-inc/node",
    "@stytch/vanilla-js",
    "@kinde-oss/kinde-auth-nextjs",
    "@descope/node-sdk",
    "magic-sdk",
    "next-auth",
    "next-auth/providers/github",
    "@auth/core",
    "passport",
    "passport-local",
    "lucia",
    "better-auth",
    "keycloak-js",
    "oidc-client-ts",
    "openid-client",
    "grant",
    "iron-session/edge",
    "bcrypt",
    "bcryptjs",
    "argon2",
    "@node-rs/argon2",
    "@node-rs/bcrypt",
    "scrypt-js",
    "hash-wasm",
    "@noble/hashes/scrypt",
    "hono/basic-auth",
    "npm:bcryptjs@2.4.3",
    "Bcrypt",
    "https://esm.sh/bcryptjs@2.4.3",
    "https://cdn.jsdelivr.net/npm/@clerk/clerk-js@5/dist/clerk.browser.js",
    "https://www.gstatic.com/firebasejs/10.1.0/firebase-auth.js"
  ])("is %s", async (specifier) => {
    expect(authPackage(specifier)).not.toBe(null)
  })

  it.each([
    "hono",
    "hono/cors",
    "hono/jwt",
    "itty-router",
    "react",
    "authors",
    "passports",
    "bcryptjs-types",
    "@noble/hashes/sha256",
    "./passport",
    "../auth/lucia.ts",
    "/passport",
    "node:crypto",
    "https://example.com/passport/photo.js",
    "https://esm.sh/react@19",
    "",
    "@",
    "x".repeat(10_000)
  ])("is not %s", async (specifier) => {
    expect(authPackage(specifier)).toBe(null)
  })

  it("is named once, in lower case, and found under its own name", async () => {
    const names = authGroups.flatMap((group) => group.names)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) {
      expect(name).toMatch(/^(@[a-z0-9-]+\/)?([a-z0-9.-]+|\*)(\/[a-z0-9.-]+)?\*?$/)
      expect(authPackage(name.replace(/\*$/, "x"))).not.toBe(null)
    }
  })

  it.each([
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "bundledDependencies",
    "overrides",
    "resolutions"
  ])("is refused in %s of a package.json, with its line", async (field) => {
    const value = field === "bundledDependencies" ? `["bcryptjs"]` : `{ "bcryptjs": "^2.4.3" }`
    expect(await look({ "package.json": `{\n  "name": "shop",\n  "${field}": ${value}\n}` })).toMatchObject([
      { code: "auth_package", file: "package.json", line: 3, message: expect.stringContaining('"bcryptjs"') }
    ])
  })

  it("is refused behind another name, in a package.json with mistakes, and in one further down", async () => {
    expect(await look({ "package.json": `{ "dependencies": { "pw": "npm:bcryptjs@2" } }` })).toHaveLength(1)
    expect(await look({ "package.json": `{ // why\n "dependencies": { "@clerk/hono": "1", }` })).toHaveLength(1)
    expect(await look({ "apps/web/package.json": `{ "dependencies": { "next-auth": "4" } }` })).toHaveLength(1)
    expect(await look({ "package.json": `{ "overrides": { "x": { "y>argon2": "1" } } }` })).toHaveLength(1)
  })

  it("is not what a package.json says elsewhere, nor in a package of node_modules that nothing imports", async () => {
    expect(
      await look({ "package.json": `{ "name": "bcrypt", "keywords": ["passport"], "scripts": { "lucia": "x" } }` })
    ).toEqual([])
    expect(await look({ "package.json": `{ "devDependencies": { "@types/bcrypt": "5", "vitest": "4" } }` })).toEqual([])
    expect(await look({ "node_modules/kit/package.json": `{ "dependencies": { "bcrypt": "5" } }` })).toEqual([])
    for (const text of ["", "[]", "null", "{", "[".repeat(200_000)])
      expect(await look({ "package.json": text })).toEqual([])
  })

  it.each([
    `import bcrypt from "bcryptjs"`,
    `import 'bcryptjs'`,
    `import * as b from "bcryptjs/dist/bcrypt.js"`,
    `export { hash } from "bcryptjs"`,
    `export * from "bcryptjs"`,
    `const b = require("bcryptjs")`,
    "const b = await import(`bcryptjs`)",
    `const b = await import(x ? "bcryptjs" : "./own")`,
    `const b = import("bcrypt" + "js")`,
    `const at = require.resolve("bcryptjs")`,
    `import b = require("bcryptjs")`,
    `import "\\x62cryptjs"`
  ])("is refused where code says %s", async (line) => {
    expect(await look({ "src/a.ts": `\n${line}\n` })).toMatchObject([
      { code: "auth_package", file: "src/a.ts", line: 2 }
    ])
  })

  it.each([
    `import type { Session } from "next-auth"`,
    `import { type Session, type User } from "next-auth"`,
    `export type { Session } from "next-auth"`,
    `// import bcrypt from "bcryptjs"`,
    `const text = 'import bcrypt from "bcryptjs"'`,
    `import { passport } from "./passport"`,
    `await Promise.resolve("passport")`
  ])("is not where code says %s", async (line) => {
    expect(await look({ "src/a.ts": line })).toEqual([])
  })

  it("is refused in scripts and import maps of a page", async () => {
    const page = `<script src="https://unpkg.com/@clerk/clerk-js@5"></script>
<script type="importmap">{ "imports": { "b": "https://esm.sh/bcryptjs@2" } }</script>
<script type="module">
  import passport from "https://esm.sh/passport"
</script>`
    expect((await look({ "public/index.html": page })).map(({ line }) => line)).toEqual([1, 2, 4])
  })
})

describe("a password field", () => {
  it.each([
    `<input type="password">`,
    `<INPUT TYPE=PassWord>`,
    `<input name=a type='password' />`,
    `<input\n\ttype\n=\n"password"\n>`,
    `<input type=&#112;assword>`,
    `<input type="&#x70;assword">`,
    `<input title="&#39;" type=&#112;assword>`,
    `<iframe srcdoc="<input type=&#38;#112;assword>"></iframe>`,
    `<iframe srcdoc="<input type=&#x26;#112;assword>"></iframe>`,
    `<template><p><input type=password></template>`,
    `<noscript><input type=password></noscript>`,
    `<iframe srcdoc="<input type=password>"></iframe>`,
    `<iframe srcdoc="&lt;iframe srcdoc='&amp;lt;input type=password&amp;gt;'&gt;"></iframe>`,
    `<svg><foreignObject><input type="password"/></foreignObject></svg>`,
    `<input autocomplete="current-password">`,
    `<input autocomplete="section-a New-Password">`,
    `<x-field type="password"></x-field>`,
    `<script>document.body.innerHTML = '<input type="password">'</script>`,
    `<script type="text/x-template"><input type="password"></script>`,
    `<p>${"<b>".repeat(5000)}<input type=password>`
  ])("is found in markup: %s", async (text) => {
    expect(await codes("public/page.html", text)).toEqual(["password_field"])
    expect(await codes("src/page.html", text)).toEqual(["password_field"])
  })

  it.each([
    `<p>Never type a password here. &lt;input type="password"&gt;</p>`,
    `<!-- <input type="password"> -->`,
    `<textarea><input type="password"></textarea>`,
    `<input type="text" name="password" placeholder="password">`,
    `<input autocomplete="off" data-type="password">`,
    `<label type="x">password</label>`,
    `<script>// <input type="password">\nconst words = ["password"]</script>`,
    `<style>input[type="password"] { color: red }</style>`,
    `<title><input type=password></title>`
  ])("is not found in %s", async (text) => {
    expect(await codes("public/page.html", text)).toEqual([])
  })

  it.each([
    ["src/a.tsx", `export const A = () => <input type="password" />`],
    ["src/a.jsx", `export const A = () => <input type={"password"} />`],
    ["src/a.js", "export const A = () => <input type={`password`} />"],
    ["src/a.tsx", `export const A = ({ shown }) => <input type={shown ? "text" : "password"} />`],
    ["src/a.tsx", `export const A = () => <TextField {...{ type: "password" }} />`],
    ["src/a.tsx", `export const A = () => <input autoComplete="new-password" />`],
    ["src/a.tsx", `export const A = () => <input type={("password" as const)!} />`],
    ["src/a.js", `createElement("input", { type: "password" })`],
    ["src/a.js", `e.jsx("input",{className:c,type:s?"text":"password"})`],
    ["src/a.js", `jsx(Field, { "type": "password" })`],
    ["src/a.js", `const field = document.createElement("input"); field.type = "password"`],
    ["src/a.js", `field["type"] = 'password'`],
    ["src/a.js", `field.setAttribute("type", "password")`],
    ["src/a.js", `Object.assign(document.createElement("input"), { type: "password" })`],
    ["src/a.ts", `export const page = '<form><input type="password"></form>'`],
    ["src/a.ts", "export const page = html`<form>\n<input name=${name} type=password></form>`"],
    ["src/a.ts", `export const page = "<input na" + 'me="' + name + '" type="' + "password" + '">'`],
    ["src/a.ts", "export const page = `<p>${ok ? `<input type=password>` : ''}</p>`"],
    ["src/a.ts", `export const page = "<input type=\\x70assword>"`],
    ["src/a.ts", `export const page = <string>'<input type="password">'`],
    ["src/a.ts", `@decorated class A { static { document.write('<input type="password">') } }`],
    ["src/a.json", `{ "page": "<input type='password'>" }`],
    ["src/a.txt", `<input type=password>`],
    ["public/app.js", `h("input",{type:"password"})`]
  ])("is found in code: %s %s", async (path, text) => {
    expect(await codes(path, text)).toEqual(["password_field"])
  })

  it.each([
    ["src/a.ts", `// <input type="password">\n/* type="password" */ export const a = 1`],
    ["src/a.ts", `export const rule = "Never ask for a password; a demo user is picked."`],
    ["src/a.ts", `export type Kind = "text" | "password"`],
    ["src/a.ts", `const kinds = ["text", "password"]; if (field.type === "password") throw new Error("no")`],
    ["src/a.ts", `const grant = { type: "password" }; send(grant)`],
    ["src/a.ts", `document.querySelector('input[type="password"]')`],
    ["src/a.tsx", `export const A = () => <p title="password">password</p>`],
    ["src/a.tsx", `export const A = () => <input type="text" name="password" />`],
    ["src/a.txt", `A field of type=password is refused.`],
    ["README.md", `<input type="password">`],
    ["public/notes.txt", `<input type="password">`]
  ])("is not found in %s: %s", async (path, text) => {
    expect(await look({ [path]: text }, path.startsWith("src/") ? [path] : [])).toEqual([])
  })

  it("is found in a file that is too large to be parsed, or that no parser takes", async () => {
    const filler = `const x = "${"y".repeat(2000)}"\n`.repeat(600)
    for (const line of [`e("input",{type:a?"text":"password"})`, `x.innerHTML = '<input type="password">'`])
      for (const text of [filler + line, `${line}\nlet = = (`])
        expect(await codes("public/app.js", text)).toEqual(["password_field"])
    expect(await codes("src/a.js", `${filler}import b from "bcryptjs"`)).toEqual(["auth_package"])
    expect(await codes("public/page.html", `${"<p>long</p>\n".repeat(100_000)}<input type=password>`)).toEqual([
      "password_field"
    ])
    expect(
      await codes("public/app.js", `${filler}const kinds = ["text","password"], grant = {type:"password"}`)
    ).toEqual([])
  })

  it("is looked for in all that is served or bundled, and in the source but its tests", async () => {
    const field = `export const page = '<input type="password">'`
    expect(await codes("src/unused/login.ts", field)).toHaveLength(1)
    expect(await look({ "test/login.test.ts": field, "src/a.spec.ts": field, "node_modules/kit/a.js": field })).toEqual(
      []
    )
    expect(await look({ "public/test/a.js": field })).toHaveLength(1)
    expect(
      await look({ "test/a.ts": field, "node_modules/kit/a.js": field }, ["test/a.ts", "node_modules/kit/a.js"])
    ).toHaveLength(2)
  })

  it("says where and what to do, once for a line, and never more than the limit", async () => {
    const [problem] = await look({ "src/a.tsx": `const a = 1\nexport const A = () => <input type="password" />` })
    expect(problem).toMatchObject({ file: "src/a.tsx", line: 2, column: 31 })
    expect(problem?.message).toMatch(/<input type="password">.*Remove it.*demo user/)
    expect(await look({ "public/a.html": `<input type=password>\n`.repeat(200) })).toHaveLength(
      LocalLimits.buildProblems
    )
  })

  it("finds none in what people build apps with", async () => {
    for (const file of [
      "hono/dist/jsx/dom/render.js",
      "hono/dist/utils/jwt/jwt.js",
      "hono/dist/middleware/bearer-auth/index.js"
    ]) {
      const text = readFileSync(new URL(`../../../../node_modules/${file}`, import.meta.url), "utf8")
      expect(await codes("public/app.js", text)).toEqual([])
    }
  })
})

describe("a build", () => {
  const shared = ManagedRuntime.make(layer())
  afterAll(() => shared.dispose())
  const build = (files: Tree) => shared.runPromise(buildOnce(buildJob(files, { id: crypto.randomUUID() })))
  const worker = (body: string) => `${body}\nexport default { fetch: () => new Response("") }\n`

  it("fails for real login in package.json, code and pages, all told at once", async () => {
    expect(
      await build({
        "package.json": `{ "dependencies": { "@clerk/backend": "1" } }`,
        "src/index.ts": worker(`import { hash } from "bcryptjs"\nimport left from "left-pad"\nconsole.log(hash, left)`),
        "public/login.html": `<form><input type="password"></form>`
      })
    ).toMatchObject({
      _tag: "Refused",
      problems: [
        { code: "auth_package", file: "package.json", line: 1 },
        { code: "password_field", file: "public/login.html", line: 1 },
        { code: "auth_package", file: "src/index.ts", line: 1 },
        { code: "package_missing", file: "src/index.ts", line: 2 }
      ]
    })
  })

  it("fails for them in an app of assets alone", async () => {
    expect(await build({ "public/index.html": "<input type=password>" })).toMatchObject({
      problems: [{ code: "password_field", file: "public/index.html" }]
    })
    expect(await build({ "public/a.png": "", "package.json": `{"dependencies":{"lucia":"3"}}` })).toMatchObject({
      problems: [{ code: "auth_package" }]
    })
  })

  it("fails for a field in what is a page by its type or its `_headers` alone", async () => {
    const page = `<html xmlns="http://www.w3.org/1999/xhtml"><input type="password"/></html>`
    for (const files of [
      { "public/login.xml": page },
      { "public/l.txt": page, "public/_headers": "/l.txt\n  Content-Type: text/html\n" },
      { "src/index.js": worker(""), "public/login": `<!doctype html>${page}` }
    ] as ReadonlyArray<Tree>)
      expect(await build(files)).toMatchObject({ _tag: "Refused", problems: [{ code: "password_field" }] })
  })

  it("fails for a package that is in the source, by whatever way it is imported", async () => {
    const kit = { "node_modules/bcryptjs/index.js": "export const hash = 1" }
    const map = { "package.json": `{ "imports": { "#hash": "bcryptjs" } }` }
    for (const [line, more] of [
      [`import { hash } from "bcryptjs"\nconsole.log(hash)`, kit],
      [`import { hash } from "#hash"\nconsole.log(hash)`, { ...kit, ...map }]
    ] as const)
      expect(await build({ "src/index.js": worker(line), ...more })).toMatchObject({
        problems: [{ code: "auth_package" }]
      })
  })

  it("warns of an import that only a run can resolve, and fails when it plainly may name such a package", async () => {
    const result = await build({
      "src/index.js": worker(`import { load } from "./load.js"\nconsole.log(load("x"))`),
      "src/load.js": "export const load = (name) => import(name)"
    })
    expect(result).toMatchObject({ _tag: "Built", warnings: [{ code: "import_at_run_time", file: "src/load.js" }] })
    expect(
      await build({ "src/index.js": worker("console.log(import(`bcrypt${globalThis.js ?? ''}`))") })
    ).toMatchObject({
      problems: [{ code: "auth_package", file: "src/index.js" }]
    })
    expect(
      await build({ "src/index.js": worker(`console.log(import(["bcryptjs", "x"][globalThis.at]))`) })
    ).toMatchObject({ problems: [{ code: "auth_package", file: "src/index.js" }] })
  })

  it("is bounded however its source is made", async () => {
    const hard = {
      "public/a.html": `${"<input<input type ".repeat(200_000)}password`,
      "public/b.html": `password ${"<div><p>".repeat(20_000)}`,
      "public/c.js": `"password";${"[".repeat(100_000)}`,
      "public/d.js": `"password";a=${"1+".repeat(100_000)}1`,
      "public/e.js": `"password";a=${"`${".repeat(2000)}1${"}`".repeat(2000)}`
    }
    const small = ManagedRuntime.make(layer({ timeoutMs: 20_000, spare: false }))
    for (const [path, text] of Object.entries(hard))
      expect(["Built", "Crashed"]).toContain(
        (await small.runPromise(buildOnce(buildJob({ [path]: text }, { id: path }))))._tag
      )
    await Effect.runPromise(small.disposeEffect)
    expect(await build({ "public/index.html": "<p>password</p>" })).toMatchObject({ _tag: "Built" })
  })
})
