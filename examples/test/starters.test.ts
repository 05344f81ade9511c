import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const home = fileURLToPath(new URL("../05-starters/", import.meta.url))
const names = readdirSync(home, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))

interface NpmLock {
  readonly lockfileVersion: number
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly resolved?: string
        readonly integrity?: string
        /** It comes within the tarball of the package around it. */
        readonly inBundle?: boolean
      }
    >
  >
}

/** What of a package-lock.json is not the public registry's, or has no SHA-512. */
const npmProblems = (text: string): ReadonlyArray<string> => {
  const { lockfileVersion, packages }: NpmLock = JSON.parse(text)
  const { "": _root, ...rest } = packages
  return [
    ...(lockfileVersion === 3 ? [] : [`version ${lockfileVersion}`]),
    ...Object.entries(rest).flatMap(([path, { inBundle, integrity = "", resolved = "" }]) =>
      inBundle === true || (resolved.startsWith("https://registry.npmjs.org/") && integrity.startsWith("sha512-"))
        ? []
        : [path]
    )
  ]
}

describe("a starter", () => {
  it("is there for each kind of project that the documentation names", () => {
    expect(names.length).toBeGreaterThanOrEqual(12)
  })

  it.each(names)("%s has a lock of the public registry's packages alone, each with its SHA-512", (name) => {
    const npm = join(home, name, "package-lock.json")
    if (existsSync(npm)) {
      expect(npmProblems(readFileSync(npm, "utf8"))).toEqual([])
      return
    }
    const pnpm = readFileSync(join(home, name, "pnpm-lock.yaml"), "utf8")
    expect(pnpm).toMatch(/^lockfileVersion: '9\.0'$/m)
    const resolutions = [...pnpm.matchAll(/^ {4}resolution: (.+)$/gm)].map(([, resolution]) => resolution)
    expect(resolutions.length).toBeGreaterThan(10)
    for (const resolution of resolutions) expect(resolution).toMatch(/^\{integrity: sha512-[\w+/=]+\}$/)
  })
})
