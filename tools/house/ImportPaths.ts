/** Which of our files an import names. One reading of specifiers, for the checks, the docs and the choice of tests. */
import { posix } from "node:path"

/**
 * The paths that a name like `@pawl/core/model/Change` may stand for, from the root of the workspace: the file, or the
 * index of a folder. None for any other name.
 */
export const packagePaths = (specifier: string): ReadonlyArray<string> => {
  const [, name, path = "index"] = /^@pawl\/([a-z0-9-]+)(?:\/(.+))?$/.exec(specifier) ?? []
  if (name === undefined) return []
  const base = `packages/${name}/src/${path}`
  return [`${base}.ts`, `${base}/index.ts`]
}

/** The path that a relative name stands for, in a file whose path is from the root. */
export const relativePath = (file: string, specifier: string): string => posix.join(posix.dirname(file), specifier)

/** The paths that an import may stand for; none for a package from outside. */
export const importPaths = (file: string, specifier: string): ReadonlyArray<string> =>
  specifier.startsWith(".") ? [relativePath(file, specifier)] : packagePaths(specifier)
