/** What a package says of its own files, so that who imports it gets others. */

/** One way to lead out of a package. */
export interface HostileImport {
  /** As it goes on after "a package". */
  readonly title: string
  readonly manifest: Readonly<Record<string, unknown>>
  /** Below the package's folder; `i.js` is there anyway. */
  readonly files?: Readonly<Record<string, string>>
  /** What the app imports below the package's name. Default nothing. */
  readonly below?: string
  /** The words for programs when it is refused; null when it is built, without what it leads to. */
  readonly code: string | null
}

/** From a package of a layer to a file beside all layers. */
const outside = "../../../outside.js"

const importing = (specifier: string) => ({ "i.js": `export * from ${JSON.stringify(specifier)}` })

export const hostileImports: ReadonlyArray<HostileImport> = [
  { title: "whose main leads out of it", manifest: { main: outside }, code: "import_missing" },
  { title: "whose main is absolute", manifest: { main: "/etc/hostname" }, code: "import_missing" },
  { title: "whose main is another package's file", manifest: { main: "../q/i.js" }, code: "import_missing" },
  { title: "whose module leads out of it", manifest: { module: outside, main: "./i.js" }, code: null },
  { title: "whose browser leads out of it", manifest: { browser: outside, main: "./i.js" }, code: null },
  {
    title: "whose browser leads its files out of it",
    manifest: { main: "./i.js", browser: { "./x.js": outside } },
    files: { ...importing("./x.js"), "x.js": "export default 1" },
    code: null
  },
  { title: "whose exports lead out of it", manifest: { exports: `./${outside}` }, code: "package_exports_outside" },
  { title: "whose exports are absolute", manifest: { exports: "/etc/hostname" }, code: "import_missing" },
  {
    title: "whose exports are a file's address",
    manifest: { exports: "file:///etc/hostname" },
    code: "import_missing"
  },
  {
    title: "whose exports lead out of it under a condition",
    manifest: { exports: { workerd: `./${outside}`, default: "./i.js" } },
    code: "package_exports_outside"
  },
  {
    title: "whose exports take a star that climbs out",
    manifest: { exports: { "./*": "./lib/*" } },
    below: "/../../../../outside.js",
    code: "import_missing"
  },
  {
    title: "whose exports are a circle of conditions without end",
    manifest: { exports: JSON.parse(`${`{"default":`.repeat(90)}"./i.js"${"}".repeat(90)}`) as object },
    code: "import_missing"
  },
  {
    title: "whose exports are those of a prototype",
    manifest: JSON.parse(`{"exports":{"__proto__":{".":"./${outside}"}}}`) as Record<string, unknown>,
    code: "import_missing"
  },
  {
    title: "whose imports lead out of it",
    manifest: { main: "./i.js", imports: { "#x": `./${outside}` } },
    files: importing("#x"),
    code: "import_missing"
  },
  {
    title: "whose imports name a file of the machine",
    manifest: { main: "./i.js", imports: { "#x": "/etc/hostname" } },
    files: importing("#x"),
    code: "import_outside"
  },
  {
    title: "that imports a file above it",
    manifest: { main: "./i.js" },
    files: importing(outside),
    code: "import_outside"
  },
  {
    title: "that requires a file above it",
    manifest: { main: "./i.js" },
    files: { "i.js": `module.exports = require(${JSON.stringify(outside)})` },
    code: "import_outside"
  },
  {
    title: "that imports a file of the machine",
    manifest: { main: "./i.js" },
    files: importing("/etc/hostname"),
    code: "import_outside"
  },
  {
    title: "that imports a file of the machine by its address",
    manifest: { main: "./i.js" },
    files: importing("file:///etc/hostname"),
    code: "import_remote"
  },
  {
    title: "that imports from the network",
    manifest: { main: "./i.js" },
    files: importing("https://example.com/x.js"),
    code: "import_remote"
  },
  {
    title: "that imports the app's own source",
    manifest: { main: "./i.js" },
    files: importing("../../src/secret.js"),
    code: "import_outside"
  },
  {
    title: "with a folder whose own package.json leads out",
    manifest: { main: "./lib" },
    files: { "lib/package.json": JSON.stringify({ main: `../${outside}` }) },
    code: "import_missing"
  },
  {
    title: "whose source map is a file of the machine",
    manifest: { main: "./i.js" },
    files: { "i.js": `export default 1\n//# sourceMappingURL=${outside}` },
    code: null
  }
]
