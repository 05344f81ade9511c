/** Locks of pnpm for tests, as pnpm 10 writes them. */

/** What a lock is to say. */
export interface PnpmLockParts {
  /** What package.json asks for, by name: its range, and the version that stands for it. */
  readonly direct: Readonly<Record<string, { readonly specifier: string; readonly version: string }>>
  /** Each package as `name@version`, with the versions that it needs, by name. */
  readonly packages: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Of such a package. */
  readonly integrityOf: (key: string) => string
}

/** The text of a pnpm-lock.yaml. */
export const pnpmLockText = ({ direct, integrityOf, packages }: PnpmLockParts): string =>
  [
    "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:",
    ...Object.entries(direct).map(
      ([name, { specifier, version }]) =>
        `      '${name}':\n        specifier: ${specifier}\n        version: ${version}`
    ),
    "\npackages:\n",
    ...Object.keys(packages).map((key) => `  '${key}':\n    resolution: {integrity: ${integrityOf(key)}}\n`),
    "snapshots:\n",
    ...Object.entries(packages).map(([key, needs]) => {
      const lines = Object.entries(needs).map(([name, version]) => `      '${name}': ${version}\n`)
      return lines.length === 0 ? `  '${key}': {}\n` : `  '${key}':\n    dependencies:\n${lines.join("")}`
    })
  ].join("\n")
