/**
 * Exports without a docstring. Each exported declaration of a package's sources says directly above it what its name
 * does not say: shape, units, errors, source. Of a const and a type of the same name the first one says it for both,
 * and so does the first overload of a function. What an index passes on is told where it is declared.
 */
import { type Export, exportsOf } from "./Exports.ts"
import type { Finding } from "./Finding.ts"
import type { OurFile } from "./Workspace.ts"

/** Whether a docstring with a word in it ends on the line above; other comments of one line may stand between. */
const isTold = (text: string, { statement }: Export): boolean => {
  const above = text.slice(statement.pos, statement.getStart()).replace(/\n[ \t]*\/\/[^\n]*(?=\n)/g, "")
  const comment = above.slice(above.lastIndexOf("/*"))
  return comment.startsWith("/**") && /[A-Za-z]/.test(comment) && /\*\/[ \n]$/.test(comment)
}

const untold = (file: OurFile): ReadonlyArray<Finding> => {
  const seen = new Set<string>()
  return exportsOf(file).flatMap((each) => {
    if (seen.has(each.name)) return []
    seen.add(each.name)
    if (isTold(file.source.text, each)) return []
    const message = `${each.name} has no docstring directly above it: say what its name does not say`
    return [{ file: file.path, line: each.line, rule: "docstring", message }]
  })
}

/** Exports without a docstring. */
export const docstrings = (files: ReadonlyArray<OurFile>): ReadonlyArray<Finding> =>
  files.filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && !path.endsWith("/index.ts")).flatMap(untold)
