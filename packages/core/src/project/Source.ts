/** A Project's source as the rules need it: its check and probe definitions. */
import { Effect } from "effect"
import { scriptsOf } from "./PackageScripts.ts"
import { parsePawlFile, checksOfPackage, type PawlFile } from "./PawlFile.ts"
import { Repositories, type RepositoryRef } from "./Repositories.ts"
import { textOf } from "../primitives/Utf8.ts"

/** The definitions of one tree; on a broken `pawl.json`, what is wrong with it. */
export type Definitions =
  | { readonly _tag: "Defined"; readonly file: PawlFile }
  | { readonly _tag: "Broken"; readonly reason: string }

/** The bytes of a file of a tree, or `null` when the tree has none. Fails with `ObjectNotFound` when there is no such tree. */
export const readBytes = (ref: RepositoryRef, tree: string, path: string) =>
  Effect.flatMap(Repositories, (repositories) => repositories.read(ref, tree, path)).pipe(
    Effect.map((bytes): Uint8Array | null => bytes),
    Effect.catchIf(
      (error) => error._tag === "ObjectNotFound" && error.what === "path",
      () => Effect.succeed(null)
    ),
    Effect.catchTag("InvalidPath", (error) => Effect.die(error))
  )

/** A file of a tree as text, or `null` when the tree has none. Fails with `ObjectNotFound` when there is no such tree. */
const readText = (ref: RepositoryRef, tree: string, path: string) =>
  Effect.map(readBytes(ref, tree, path), (bytes) => (bytes === null ? null : textOf(bytes)))

/**
 * Definitions from the text of `pawl.json` and `package.json`, each `null` when there is none. Without probes `/` must
 * answer 200.
 */
export const definitionsOf = (pawlJson: string | null, packageJson: string | null): Definitions => {
  if (pawlJson === null)
    return {
      _tag: "Defined",
      file: { checks: packageJson === null ? [] : checksOfPackage(packageJson), probes: [{ path: "/", status: 200 }] }
    }
  const parsed = parsePawlFile(pawlJson)
  return parsed._tag === "Failure"
    ? { _tag: "Broken", reason: `pawl.json: ${parsed.failure}` }
    : {
        _tag: "Defined",
        file:
          parsed.success.probes.length > 0
            ? parsed.success
            : { ...parsed.success, probes: [{ path: "/", status: 200 }] }
      }
}

/** The definitions that a tree holds. Fails with `ObjectNotFound` when there is no such tree. */
export const readDefinitions = (ref: RepositoryRef, tree: string) =>
  Effect.map(Effect.all([readText(ref, tree, "pawl.json"), readText(ref, tree, "package.json")]), ([pawl, pack]) =>
    definitionsOf(pawl, pack)
  )

/** The scripts of a tree's package.json; none without one. */
export const readScripts = (ref: RepositoryRef, tree: string) =>
  Effect.map(readText(ref, tree, "package.json"), (text) => (text === null ? {} : scriptsOf(text)))

/** All files of a tree, by path. Fails with `ObjectNotFound` or `TreeTooLarge`. */
export const readFiles = (ref: RepositoryRef, tree: string) =>
  Effect.flatMap(Repositories, (repositories) => repositories.files(ref, tree))
