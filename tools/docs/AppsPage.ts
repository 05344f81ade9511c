/** `docs/reference/apps.md`: what an app may be made of, from the very lists that a build applies. */
import { readFields } from "../../packages/adapters-local/src/builder/settings/AppSettings.ts"
import { authGroups } from "../../packages/adapters-local/src/builder/auth/AuthPackages.ts"
import { importableExtensions } from "../../packages/adapters-local/src/builder/bundler/ModuleTypes.ts"
import {
  bindingAdvice,
  bindingFields,
  compatibilityFlags,
  defaultCompatibilityDate,
  ignoredFields,
  latestCompatibilityDate,
  unsupportedFields
} from "../../packages/adapters-local/src/builder/settings/SettingsFields.ts"
import { vendoredPackages } from "../../packages/adapters-local/src/builder/vendored/VendoredPackages.ts"
import { valueOf } from "./LimitsPage.ts"
import { code, page, type Page, table } from "./Markdown.ts"

const codes = (names: Iterable<string>): string => [...names].map(code).join(", ")
const list = (lines: ReadonlyArray<string>): string => lines.map((line) => `- ${line}`).join("\n")

const packages = [
  "## Packages",
  "An app is built from its own files and from the packages that its lock file names. Without a lock file it can import these, as whole packages or any subpath that they export:",
  table(
    ["package", "version"],
    vendoredPackages.map(({ name, version }) => [code(name), code(version)])
  ),
  list([
    "The packages of a lock file come first, then a copy in the source's own `node_modules`, then these.",
    "Packages are found as Node and esbuild find them for a browser: the nearest `node_modules` upward, links followed, `exports` with the conditions `workerd`, `worker`, `browser`, `module`, `import` or `require`, and `default`, else the fields `browser`, `module` and `main`. What they import is found among packages alone. They do not count as source; one build may read 32 MiB of them.",
    "Any other package is a build error that names it, the file and the line that import it, and how to add a lock file. A package that `package.json` names and nothing imports is fine.",
    "What a package imports inside a `try`, or with a `catch`, may be missing, as it may with Node.",
    "Without a lock file, a `package.json` that asks for another major version gets a warning.",
    "Checks see the same packages as a read-only `/node_modules`. The types of itty-router need `skipLibCheck`.",
    "`import()` of a name that only a run knows finds what the bundle holds, and nothing else. It gives a warning.",
    "The runtime gives `cloudflare:workers` and its like, and Node's modules with the flag `nodejs_compat`."
  ])
]

const limits = [
  "## Limits of a build",
  table(
    ["what", "at most"],
    [
      ["files of the source; assets do not count", valueOf("buildSourceFiles")],
      ["the source in all; assets do not count", valueOf("buildSourceBytes")],
      ["a module, the bundled one too", valueOf("buildModuleBytes")],
      ["assets", valueOf("buildAssets")],
      ["one asset", valueOf("buildAssetBytes")],
      ["builds of a day (UTC); one that is reused is free", valueOf("buildsPerDay")]
    ]
  ),
  "The `build` check of a Candidate, provisioning an app, and a release that finds no bundle take one build each, before it begins. A preview, and the release of what was checked, take none."
]

const settings = [
  "## Settings",
  "The wrangler file of an ordinary project is read as [it says there](bundle.md#app-settings). What its other fields do:",
  list([
    `Read: ${codes(readFields)}. The flags are ${codes(compatibilityFlags)}. The date is ${defaultCompatibilityDate} when none is given, and ${latestCompatibilityDate} at the latest: a later one counts as that, with a warning, as wrangler does it.`,
    `Passed over, because they change nothing here: ${codes(ignoredFields)}.`,
    "Any other field gives a warning. An empty list or object is as if it were not there."
  ]),
  "These would build another app, so that they are a build error:",
  table(
    ["field", "why"],
    Object.entries(unsupportedFields).map(([name, why]) => [code(name), why])
  ),
  "These are bindings that an app cannot have. Its `env` holds `ASSETS` and `DATA`, and nothing else. Each is a build error that names its line in the file:",
  table(
    ["field", "asks for", "instead"],
    Object.entries(bindingFields).map(([name, what]) => [code(name), what, bindingAdvice[name] ?? ""])
  )
]

const auth = [
  "## No real login",
  "Apps have no real login and collect no credentials. People pick a demo user instead. A build fails with the file and the line when it finds one of these.",
  "**A package** of the lists below: in any field of a `package.json` in which npm, pnpm or yarn names packages, also behind `npm:`; in an import, export, `require` or `import()` of code; in a script or an import map of a page. An import of types alone is fine. `/*` is a whole scope, `*` any ending; subpaths are always meant too.",
  ...authGroups.map(
    ({ kind, names }) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)}: ${codes([...names].sort())}.`
  ),
  "**A password field**: an element with `type=password` or with an `autocomplete` that ends with `-password`,",
  list([
    "in HTML and SVG as a browser reads it, also in a `template`, a `noscript`, a `srcdoc`, and in what scripts of the page write;",
    "in every other asset that a browser could show as a page: XHTML and all that is XML, what `_headers` gives such a type, and what begins as a page whatever it is called, also in other encodings and compressed;",
    "in JSX, in calls that make an element, in `setAttribute` and in an assignment to `type`;",
    "in texts of code that hold such markup, and in files that code imports as text or JSON."
  ]),
  "Looked at are all assets that are code or pages, all that the bundle is made of, and code and markup of the source other than its tests. What stands in comments, in documents and as prose is not looked at, and neither is a `node_modules` of the source unless something imports it. Of the packages of a lock file every import counts that the bundle reaches, whoever writes it and whatever name the lock gives the package; the fields that their code could make are not looked for. What a build command made is looked through as text, without being parsed; its `package.json` files are not read. A program can still make such a field at run time in ways that cannot be seen in its source."
]

export const appsPage = (): Page =>
  page("docs/reference/apps.md", "What an app may be made of", [
    "Made from the lists in `packages/adapters-local/src/builder`.",
    [
      "An app is an ordinary Worker project: one that deploys with wrangler, needs no binding, and imports what is listed here, goes live as it is.",
      "[Four such projects](../../examples/04-ordinary-workers) stand among the examples, each as its authors would have it: an API with hono, one with itty-router, a site of plain files, and a single-page application that vite built."
    ].join(" "),
    list([
      "A project whose command makes what is served has it run: the `build` of [pawl.json](pawl-json.md), or of `package.json` where the settings name what is not in the source. Without one, the files of the source are bundled as they stand.",
      `Code may import these types of files: ${codes(importableExtensions.map((extension) => `.${extension}`))}.`,
      "Without a `pawl.json`, the scripts `typecheck` and `test` of `package.json` are the checks of a Change. They run with Node, `tsc` and the packages below. A test runner that is not there is a gap: name checks that can run in [pawl.json](pawl-json.md), such as `node --test`."
    ]),
    ...packages,
    ...limits,
    ...settings,
    ...auth
  ])
