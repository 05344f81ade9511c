/** What a layer is made of, as one text: locks with equal texts have one layer, wherever it is laid out. */
import { canonicalJson } from "../primitives/Digest.ts"
import type { PackageLock } from "./PackageLock.ts"

/** Changes when equal locks are to be laid out in another way. */
const layout = 2

/** The text whose SHA-256 is a layer's id. Who needs its packages for what is none of it. */
export const layerText = ({ direct, links, packages }: PackageLock): string =>
  canonicalJson({
    layout,
    packages: packages.map(({ integrity, name, path, version }) => [path, name, version, integrity]),
    links: links.map(({ path, target }) => [path, target]),
    direct: direct.map(({ name }) => name)
  })
