/** A module of the library whose functions of some names do nothing, for what they do was done when the scripts are laid out. */
import { statementsOf, withCuts } from "./SyntaxParts.ts"

/** Throws for a name that is no function of the module. */
export const withoutBodies = (text: string, names: ReadonlyArray<string>): string => {
  const statements = statementsOf("library.js", text)
  return withCuts(
    text,
    names.map((name) => {
      const found = statements.find(({ id, type }) => type === "FunctionDeclaration" && id?.name === name)
      if (found === undefined) throw new Error(`the library has no function ${name} any more`)
      return { from: found.start, to: found.end, by: `function ${name}() {}` }
    })
  )
}
