/** Which packages a bundle holds something of, from the names that esbuild has for files. */
import type { HeldPackage } from "@pawl/core/packages/Sbom"
import { packageOf } from "../layer/LayerTree.ts"
import type { VendoredTree } from "../vendored/VendoredTree.ts"
import { vendoredPackage } from "../vendored/VendoredPackages.ts"
import { vendoredNamespace } from "./TreePlugin.ts"

const folder = "node_modules/"

/** The folder of the package that a file is of. */
const placeOf = (path: string): string => `${path.slice(0, path.lastIndexOf(folder) + folder.length)}${packageOf(path)}`

/** The licence in a package.json; null when it says none in a word. */
const licenseOf = (text: string | undefined): string | null => {
  try {
    const read: unknown = JSON.parse(text ?? "")
    return typeof read === "object" && read !== null && "license" in read && typeof read.license === "string"
      ? read.license
      : null
  } catch {
    return null
  }
}

const broughtAlong = (path: string, tree: VendoredTree): HeldPackage => {
  const known = vendoredPackage(packageOf(path))
  if (known === null) return { path }
  return { path, brought: { ...known, license: licenseOf(tree.text(`${path}/package.json`)) } }
}

/**
 * By folder. `inputs` are esbuild's names, with the namespace in front; `kept` are paths of packages' own modules; `tree`
 * has the packages that are brought along.
 */
export const heldPackages = (
  inputs: Iterable<string>,
  kept: Iterable<string>,
  tree: VendoredTree
): ReadonlyArray<HeldPackage> => {
  const found = new Map<string, HeldPackage>()
  const vendored = `${vendoredNamespace}:`
  for (const input of [...inputs, ...kept]) {
    const path = input.slice(/^[a-z]+:/.exec(input)?.[0].length ?? 0)
    if (!path.includes(folder)) continue
    const place = placeOf(path)
    if (input.startsWith(vendored)) found.set(vendored + place, broughtAlong(place, tree))
    else found.set(place, { path: place })
  }
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
}
