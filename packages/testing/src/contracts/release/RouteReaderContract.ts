/** What every RouteReader promises, whatever it reads code with. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { RouteReader, type SourceFiles } from "@pawl/core/release/RouteReader"

/** A source tree, by path: text, or any bytes. */
export type RouteTree = Readonly<Record<string, string | Uint8Array>>

const filesOf = (tree: RouteTree): SourceFiles =>
  new Map(
    Object.entries(tree).map(([path, content]) => [
      path,
      { content: typeof content === "string" ? utf8(content) : content }
    ])
  )

/** The routes that `after` has and `before` has not. */
export const routesAdded = (before: RouteTree, after: RouteTree) =>
  Effect.flatMap(RouteReader, (reader) => reader.added(filesOf(before), filesOf(after)))

/** An app whose one function holds these lines, with the other files of its tree. */
export const appOf = (lines: string, more: RouteTree = {}): RouteTree => ({
  "src/index.js": `export default { fetch(request) { const { pathname, method } = new URL(request.url)\n${lines}\nreturn new Response("x", { status: 404 }) } }`,
  ...more
})

const respond = (path: string) => `if (pathname === "${path}") return new Response("x")`

/** Declares the suite; `name` names the adapter in its title. */
export const routeReaderContract = (name: string, options: { readonly layer: Layer.Layer<RouteReader> }): void => {
  const promise = (title: string, before: RouteTree, after: RouteTree, added: ReadonlyArray<string>) =>
    it(title, () =>
      Effect.runPromise(
        Effect.map(routesAdded(before, after), (found) => expect(found).toEqual(added)).pipe(
          Effect.provide(options.layer)
        )
      )
    )

  describe(`${name}: RouteReader`, () => {
    promise(
      "finds the paths that the code of a tree answers and the code of the other does not, in their order",
      appOf([respond("/"), respond("/kept")].join("\n")),
      appOf([respond("/"), respond("/zoo"), respond("/kept"), respond("/hours")].join("\n")),
      ["/zoo", "/hours"]
    )

    promise("finds none in two equal trees", appOf(respond("/hours")), appOf(respond("/hours")), [])

    promise(
      "takes no route for added that was touched, that moved to another line, or that is gone",
      appOf([respond("/one"), respond("/two"), respond("/gone")].join("\n")),
      appOf([respond("/two"), respond("/one").replace("x", "y")].join("\n")),
      []
    )

    promise(
      "finds pages that were added, after what code answers",
      appOf(respond("/"), { "public/old.html": "<p>old" }),
      appOf([respond("/"), respond("/hours")].join("\n"), {
        "public/old.html": "<p>older",
        "public/about.html": "<p>us",
        "public/shop/index.html": "<p>shop",
        "public/style.css": "p {}"
      }),
      ["/hours", "/about", "/shop/"]
    )

    promise(
      "takes no path of another method, and none with a parameter or a wildcard",
      appOf(""),
      appOf(
        [
          'if (method === "POST" && pathname === "/orders") return new Response("x")',
          'if (pathname === "/users/:id") return new Response("x")',
          'if (pathname === "/files/*") return new Response("x")',
          respond("/hours")
        ].join("\n")
      ),
      ["/hours"]
    )

    promise(
      "takes nothing from tests and documents",
      appOf(""),
      appOf("", {
        "test/a.test.js": respond("/tested"),
        "README.md": respond("/told")
      }),
      []
    )

    promise(
      "reads on beside what is no code at all",
      appOf(""),
      appOf(respond("/hours"), { "src/broken.js": "}}}} ((( `", "src/bytes.js": new Uint8Array([0, 255, 254, 1]) }),
      ["/hours"]
    )

    promise(
      "tells a bounded number of them",
      appOf(""),
      appOf(Array.from({ length: Limits.addedRoutes + 5 }, (_, n) => respond(`/r${n}`)).join("\n")),
      Array.from({ length: Limits.addedRoutes }, (_, n) => `/r${n}`)
    )
  })
}
