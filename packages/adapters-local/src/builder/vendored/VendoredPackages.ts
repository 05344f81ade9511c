/** The npm packages that Pawl brings along: what apps may import, and checks may use, without a copy of their own. */

/** One package, by its name in npm's registry. */
export interface VendoredPackage {
  readonly name: string
  /** Exactly this one, as the package.json of this adapter pins it. */
  readonly version: string
}

/** The whole list; each is declared as a dependency of this adapter. */
export const vendoredPackages: ReadonlyArray<VendoredPackage> = [
  { name: "hono", version: "4.13.19" },
  { name: "itty-router", version: "6.0.0" }
]

/** The packages and their versions, for sentences: `hono 1.2.3 and itty-router 4.5.6`. */
export const vendoredNames = vendoredPackages.map(({ name, version }) => `${name} ${version}`).join(" and ")

/** The package of exactly this name; null when Pawl brings none along. */
export const vendoredPackage = (name: string): VendoredPackage | null =>
  vendoredPackages.find((one) => one.name === name) ?? null

/** The folder that the files of vendored packages have in the tree of them all. */
export const vendoredFolder = (name: string): string => `node_modules/${name}`

/** The first number of a range such as `^4.6.0`; null for what is no plain range. */
const majorOf = (range: string): string | null =>
  /^\s*[\^~=v]{0,2}\s*(\d+)(?:\.[\dx*]+){0,2}\s*$/.exec(range)?.[1] ?? null

/** Whether a range of a package.json plainly asks for another major version than the one that is brought along. */
export const asksForAnother = (vendored: VendoredPackage, range: string): boolean => {
  const asked = majorOf(range)
  return asked !== null && asked !== majorOf(vendored.version)
}
