/** Packs what npm would publish, and names what has no business in it. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"

export interface Tarball {
  readonly path: string
  /** Paths inside the package. */
  readonly files: ReadonlyArray<string>
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** `npm pack` of package folders into an existing folder, by the names of the packages; runs no scripts and asks no registry. */
export const pack = (folders: ReadonlyArray<string>, into: string): ReadonlyMap<string, Tarball> => {
  const answer = execFileSync(
    "npm",
    ["pack", ...folders, "--pack-destination", into, "--json", "--ignore-scripts", "--offline"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }
  )
  const packed: ReadonlyArray<Packed> | Readonly<Record<string, Packed>> = JSON.parse(answer)
  return new Map(
    Object.values(packed).map(({ filename, files, name }) => [
      name,
      { path: join(into, filename), files: files.map((file) => file.path) }
    ])
  )
}

/** Only of our own modules: a package may well publish templates that have tests of their own. */
const unwanted = /^(dist|src)\/(.*\/)?((test|bench)\/|[^/]*\.(test|bench)\.|[^/]*tsbuildinfo)|^test\/|(^|\/)\.env/

export const strays = (tarball: Tarball): ReadonlyArray<string> => tarball.files.filter((path) => unwanted.test(path))

/** The import paths a package offers through its `./*` export: one for each module in dist. */
export const subpaths = (tarball: Tarball): ReadonlyArray<string> =>
  tarball.files.flatMap((path) => /^dist\/(.+)\.js$/.exec(path)?.[1] ?? [])
