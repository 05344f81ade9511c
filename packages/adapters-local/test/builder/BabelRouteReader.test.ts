import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import { layer, layerWith } from "@pawl/adapters-local/builder/routes/BabelRouteReader"
import { routesOf } from "@pawl/adapters-local/builder/routes/RouteTree"
import {
  appOf,
  routeReaderContract,
  routesAdded,
  type RouteTree
} from "@pawl/testing/contracts/release/RouteReaderContract"

routeReaderContract("BabelRouteReader", { layer })

/** Our own code needs no process to be parsed in. */
const trusting = layerWith((order) => Effect.sync(() => Option.some(routesOf(order))))
const added = (after: RouteTree, before: RouteTree = appOf(""), reader = trusting) =>
  Effect.runPromise(Effect.provide(routesAdded(before, after), reader))
const inFetch = (lines: string) => added(appOf(lines))
const module = (text: string, name = "src/index.ts"): RouteTree => ({
  "wrangler.json": JSON.stringify({ main: name, compatibility_date: "2026-07-01" }),
  [name]: text
})

describe("A route of code", () => {
  it.each<readonly [form: string, lines: string, routes: ReadonlyArray<string>]>([
    ["a comparison", 'if (pathname === "/x") return new Response("x")', ["/x"]],
    ["a comparison the other way round", 'if ("/x" == pathname) return new Response("x")', ["/x"]],
    ["a comparison of the URL", 'if (new URL(request.url).pathname === "/x") return new Response("x")', ["/x"]],
    ["a comparison with a name", 'const hours = "/x"\nif (pathname === hours) return new Response("x")', ["/x"]],
    ["a comparison in a choice", 'return pathname === "/x" ? new Response("x") : other()', ["/x"]],
    ["a variable of any name", 'const p = pathname.toLowerCase()\nif (p === "/x") return new Response("x")', ["/x"]],
    ["an else", 'if (pathname === "/x") return a()\nelse if (pathname === "/y") return b()', ["/x", "/y"]],
    ["GET and a path", 'if (method === "GET" && pathname === "/x") return new Response("x")', ["/x"]],
    ["one of a list", 'if (["/x", "/y"].includes(pathname)) return new Response("x")', ["/x", "/y"]],
    [
      "cases of a switch",
      'switch (pathname) { case "/x": return a(); case "/y": case "/z": return b(); default: return c() }',
      ["/x", "/y", "/z"]
    ],
    [
      "cases of a switch of method and path",
      'switch (`${method} ${pathname}`) { case "GET /x": return a(); case "POST /y": return b() }',
      ["/x"]
    ],
    ["a switch of true", 'switch (true) { case pathname === "/x": return a() }', ["/x"]],
    [
      "a switch of the method around it",
      'switch (method) { case "POST": if (pathname === "/y") return b(); break; case "GET": if (pathname === "/x") return a() }',
      ["/x"]
    ],
    ["a pattern", 'if (new URLPattern({ pathname: "/x" }).test(request.url)) return new Response("x")', ["/x"]],
    ["no pattern with a parameter", 'const one = new URLPattern({ pathname: "/x/:id" })', []],
    ["a page with a form", 'if (pathname === "/x") { if (method === "POST") return save(); return form() }', ["/x"]],
    [
      "no path that takes another method alone",
      'if (pathname === "/x") { if (method !== "POST") return no(); return save() }',
      []
    ],
    [
      "no path that answers GET with 405",
      'if (pathname === "/x") { if (method === "POST") return save(); return new Response("", { status: 405 }) }',
      []
    ],
    ["no path that sends on", 'if (pathname === "/x") return Response.redirect("https://shop.test/y", 301)', []],
    ["no path below another method", 'if (method === "POST") { if (pathname === "/x") return a() }', []],
    ["nothing after GET was answered", 'if (method === "GET") return a()\nelse if (pathname === "/x") return b()', []],
    ["no text that is compared with something else", 'if (request.headers.get("x-next") === "/x") return a()', []],
    ["no command", 'switch (text) { case "/start": return a() }', []],
    [
      "no path of another host",
      'if (pathname === "//x") return a()\nif (pathname === "https://y.test/x") return b()',
      []
    ]
  ])("is found as %s", async (_, lines, routes) => {
    expect(await inFetch(lines)).toEqual(routes)
  })

  it.each<readonly [form: string, text: string, routes: ReadonlyArray<string>]>([
    ["a table of functions", 'const routes = { "/x": () => page(), "POST /y": save, "/z": shop }', ["/x", "/z"]],
    ["a table by method", 'const routes = { "/x": { GET: page, POST: save }, "/y": { POST: save } }', ["/x"]],
    ["methods of an object", 'const routes = { "/x"(request) { return page(request) } }', ["/x"]],
    ["no table of texts", 'const titles = { "/x": "Hours" }\nconst links = [["/y", "Hours"]]', []],
    ["a list of pairs", 'const routes = [["/x", page], ["GET", "/y", shop], ["POST", "/z", save]]', ["/x", "/y"]],
    ["a Map", 'const routes = new Map([["/x", page]])', ["/x"]],
    [
      "a list of objects",
      'const routes = [{ path: "/x", handler: page }, { method: "POST", path: "/y", handler: save }, { path: "/z", label: "Z" }]',
      ["/x"]
    ],
    ["a link in JSX", 'const nav = <a href="/y" class={path === "/x" ? "on" : ""}>Y</a>', []]
  ])("is found in %s", async (_, text, routes) => {
    const rest = "\nexport default { fetch: (request) => routes[new URL(request.url).pathname]?.(request) }"
    expect(await added(module(`${text}${rest}`, "src/index.tsx"))).toEqual(routes)
  })

  it.each<readonly [form: string, text: string, routes: ReadonlyArray<string>]>([
    [
      "get, all and on of hono",
      `const app = new Hono()
       app.get("/x", (c) => c.text("x"))
       app.all("/y", page)
       app.on("GET", "/z", page)
       app.on(["GET", "POST"], ["/one", "/two"], page)
       app.on("POST", "/posted", page)
       app.post("/saved", page)
       app.get("/users/:id", page)
       app.get("/moved", (c) => c.redirect("/x"))`,
      ["/x", "/y", "/z", "/one", "/two"]
    ],
    ["a chain", `const app = new Hono<{ Bindings: Env }>().get("/x", page).get("/y", page)`, ["/x", "/y"]],
    ["a base path", `const app = new Hono().basePath("/api")\napp.get("/x", page)`, ["/api/x"]],
    [
      "routers in routers",
      `const hours = new Hono().get("/", page).get("/today", page)
       const api = new Hono()
       api.route("/hours", hours)
       const app = new Hono()
       app.route("/api", api)`,
      ["/api/hours", "/api/hours/today"]
    ],
    ["route without another router", `const app = new Hono()\napp.route("/x").get(page)`, ["/x"]],
    [
      "itty-router",
      `const app = Router({ base: "/v1" })
       app.get("/x", page).all("/y", page).post("/z", page).all("*", () => missing())`,
      ["/v1/x", "/v1/y"]
    ],
    ["AutoRouter", `const app = AutoRouter()\napp.get("/x", () => "x").get("/y", page)`, ["/x", "/y"]],
    [
      "no reading of a store",
      `const app = { fetch: () => env.CACHE.get("/x", { type: "json" }) }\nheaders.get("/y")`,
      []
    ]
  ])("is found with %s", async (_, text, routes) => {
    expect(await added(module(`${text}\nexport default app`))).toEqual(routes)
  })

  it("is counted from where its router is mounted in another file, and looked for only where the app's code leads", async () => {
    const tree: RouteTree = {
      ...module(`import { Hono } from "hono"
        import shop from "./shop.js"
        import * as about from "./pages/about"
        export { unused } from "./types.ts"
        const app = new Hono()
        app.route("/shop", shop)
        app.route("/us", about.make())
        export default app`),
      "src/shop.ts":
        'import { Hono } from "hono"\nconst shop = new Hono().get("/", page).get("/hours", page)\nexport default shop',
      "src/pages/about.tsx":
        'export const make = () => { const pages = new Hono(); pages.get("/team", page); return pages }',
      "src/types.ts": "export type unused = 1",
      "src/lost.ts": 'const app = new Hono()\napp.get("/lost", page)',
      "public/client.js": 'if (location.pathname === "/client") show()',
      "test/shop.test.ts": 'const app = new Hono()\napp.get("/tested", page)'
    }
    expect(await added(tree)).toEqual(["/shop", "/shop/hours", "/us/team"])
  })

  it.each([
    ["of another method", 'app.post("/x", save)', 'app.get("/x", show)'],
    [
      "commented out",
      '// if (pathname === "/x") return new Response("x")',
      'if (pathname === "/x") return new Response("x")'
    ]
  ])("that was there before, but %s, is one that was added", async (_, before, after) => {
    const head = "const app = new Hono()\n"
    expect(await added(appOf(head + after), appOf(head + before))).toEqual(["/x"])
  })

  it("is not looked for in what is served to anyone, however much of it looks like one", async () => {
    const code = 'if (pathname === "/x") return new Response("x")'
    const assets = { "public/a.js": '"/" '.repeat(1_000_000), "public/b.js": 'app.get("/not", show)' }
    const settings = JSON.stringify({
      main: "src/index.js",
      compatibility_date: "2026-07-01",
      assets: { directory: "public" }
    })
    const tree = { ...appOf(code), ...assets, "wrangler.json": settings }
    expect(await added(tree)).toContain("/x")
    expect(await added(tree)).not.toContain("/not")
  })

  it("that other files had before is none that was added", async () => {
    const before: RouteTree = {
      ...module('import { other } from "./other"\nexport default { fetch: other }'),
      "src/other.ts": 'export const other = ({ url }) => { if (new URL(url).pathname === "/x") return page() }'
    }
    const after = module(
      'export default { fetch({ url }) { const path = new URL(url).pathname\nif (path === "/x" || path === "/y") return page() } }'
    )
    expect(await added(after, before)).toEqual(["/y"])
  })
})

describe("A page", () => {
  const site = (assets: object, files: RouteTree): RouteTree => ({
    "wrangler.json": JSON.stringify({ assets: { directory: "./site", ...assets } }),
    ...files
  })
  const files = {
    "site/hours.html": "<p>",
    "site/shop/index.html": "<p>",
    "site/404.html": "<p>",
    "site/a b.html": "<p>"
  }

  it.each([
    ["auto-trailing-slash", ["/hours", "/shop/"]],
    ["force-trailing-slash", ["/hours/", "/shop/"]],
    ["drop-trailing-slash", ["/hours", "/shop"]],
    ["none", ["/hours.html", "/shop/index.html"]]
  ])("is where the app's settings put it: %s", async (html_handling, routes) => {
    expect(await added(site({ html_handling }, files), {})).toEqual(routes)
  })

  it("that is not served, that a redirect hides, or that the app's code is asked for first is no route", async () => {
    const rules = { "site/.assetsignore": "draft.html\n", "site/_redirects": "/old /new 301\n" }
    const hidden = {
      "site/draft.html": "<p>",
      "site/old.html": "<p>",
      "site/app/x.html": "<p>",
      "site/hours.html": "<p>"
    }
    const tree = {
      ...site({ run_worker_first: ["/app/*"] }, { ...rules, ...hidden, "src/index.ts": "export default {}" }),
      "wrangler.json": JSON.stringify({
        main: "src/index.ts",
        assets: { directory: "./site", run_worker_first: ["/app/*"] }
      })
    }
    expect(await added(tree, {})).toEqual(["/hours"])
  })
})

describe("Hostile code", () => {
  it.each([
    ["nested without end", `${"(".repeat(200_000)}`],
    ["a sum without end", `x = ${'"/a" + '.repeat(100_000)}"/b"`],
    ["arrays in arrays", `x = ${"[".repeat(20_000)}"/x"${"]".repeat(20_000)}`],
    ["a chain without end", `const app = new Hono()\napp${'.get("/x", page)'.repeat(20_000)}`],
    [
      "names that name each other",
      'const a = b, b = a\nconst app = app.basePath("/x")\napp.route("/x", app)\napp.get("/y", page)'
    ],
    ["keys of every object", 'const constructor = { __proto__: "/x", toString: "/y", hasOwnProperty: 1 }']
  ])("ends nothing and answers: %s", async (_, text) => {
    const main = `import "./bad.js"\n${String(appOf('if (pathname === "/hours") return new Response("x")')["src/index.js"])}`
    const found = await added({ "src/index.js": main, "src/bad.js": text }, appOf(""), layer)
    expect(found).toContain("/hours")
  })
})
