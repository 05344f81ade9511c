/** Looks at the lock that pnpm made before anybody has it: nothing but packages of the registry, and only those allowed. */
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import { utf8 } from "@pawl/core/primitives/Digest"
import { LocalLimits } from "../../LocalLimits.ts"
import { problem, Refusal } from "./LockInput.ts"
import { isFields, own } from "./PackageFields.ts"
import { type PnpmLockInput, readPnpmInput } from "./PnpmInput.ts"

const integrityIn = ({ packages }: PnpmLockInput, key: string): unknown => {
  const resolution = own(packages[key] ?? {}, "resolution")
  return isFields(resolution) ? own(resolution, "integrity") : undefined
}

/** The text of a lock, with the public registry's address where it has any. `only`: what it may have. Throws a `Refusal`. */
export const pnpmText = (made: string, url: string, only: PnpmLockInput | null): string => {
  const text = made.replaceAll(url, "https://registry.npmjs.org/")
  const lock = readPnpmInput(utf8(text))
  const keys = Object.keys(lock.packages)
  if (keys.length > LocalLimits.lockPackages)
    throw new Refusal([
      problem(
        "too_many_packages",
        `The lock would have ${keys.length} packages, where ${LocalLimits.lockPackages} are allowed. Fewer dependencies are needed.`
      )
    ])
  const strange = only === null ? undefined : keys.find((key) => integrityIn(lock, key) !== integrityIn(only, key))
  if (strange !== undefined)
    throw new Refusal([
      problem("lock_conflict", `${strange} would be needed, and stands in neither lock.`, pnpmLockFile)
    ])
  return text
}
