/** How a package that an import names, and that is nowhere, can be had. */
import { fieldsOf } from "./TreePaths.ts"
import { vendoredNames } from "../vendored/VendoredPackages.ts"

const dependencyFields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"]

const asksFor = (manifest: Uint8Array | undefined, name: string): boolean => {
  const fields = fieldsOf(manifest === undefined ? undefined : new TextDecoder().decode(manifest))
  return dependencyFields.some((field) => {
    const named = fields?.[field]
    return typeof named === "object" && named !== null && Object.hasOwn(named, name)
  })
}

/** The end of the sentence about a package. `hasLock`: the project has a lock file, whose packages are there. */
export const remedyOf =
  (files: ReadonlyMap<string, Uint8Array>, hasLock: boolean) =>
  (name: string): string => {
    const asked = asksFor(files.get("package.json"), name)
    if (/^(?:@\/|~|#)/.test(name)) return 'No "paths" of a tsconfig names it either'
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
