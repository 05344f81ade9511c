/** How a package that an import names, and that is nowhere, can be had. */
import { isObject } from "@pawl/core/packages/PackageManifest"
import { foreignSource, foreignWords } from "@pawl/core/packages/PackageNames"
import { quoted } from "@pawl/core/packages/PackageProblems"
import { fieldsOf } from "./TreePaths.ts"
import { vendoredNames } from "../vendored/VendoredPackages.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

const dependencyFields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]

/** The range that package.json asks for a package by; null when it does not ask. */
const rangeOf = (manifest: Uint8Array | undefined, name: string): string | null => {
  const fields = fieldsOf(manifest === undefined ? undefined : textOf(manifest))
  for (const field of dependencyFields) {
    const named = fields?.[field]
    if (isObject(named) && Object.hasOwn(named, name)) return String(named[name])
  }
  return null
}

/** The end of the sentence about a package. `hasLock`: the project has a lock file, whose packages are there. */
export const remedyOf =
  (files: ReadonlyMap<string, Uint8Array>, hasLock: boolean) =>
  (name: string): string => {
    const range = rangeOf(files.get("package.json"), name)
    const asked = range !== null
    if (/^(?:@\/|~|#)/.test(name)) return 'No "paths" of a tsconfig names it either'
    const foreign = asked ? foreignSource(range) : null
    if (foreign !== null)
      return `package.json asks for ${quoted(range)}, which ${foreignWords(foreign)}: packages come from the registry alone. Publish it, or copy its source into the project`
    if (hasLock)
      return asked
        ? "package.json asks for it, but the lock file does not have it: make the lock file again with `npm install --package-lock-only`, and commit it"
        : "Add it to the dependencies of package.json, and to the lock file with `npm install --package-lock-only`"
    const lock =
      "add a lock file with `npm install --package-lock-only` and commit it, or change package.json in a Change, for which Pawl makes the lock"
    return asked
      ? `package.json asks for it, but there is no lock file that says which one: ${lock}`
      : `Add it to the dependencies of package.json, and ${lock}. Without a lock file an app can import ${vendoredNames}`
  }
