/**
 * Finds in the text of a file what has a name. Code is parsed, so this is outside the core. The reference has a default
 * that finds nothing, so that a composition need not know of it: then files are spoken of by their paths alone.
 */
import { Context, Effect } from "effect"

/** A stretch of a file, and its name. */
export interface NamedPart {
  /** A declaration, a member of a class, an import, a named test; or a path that an app answers GET at. */
  readonly kind: "symbol" | "route"
  /**
   * Of a symbol `Cart.add`, of a route `GET /hours`, as the file names it. At most `Limits.symbolLength` characters, in
   * one line.
   */
  readonly name: string
  /** Its first line, from 1 on. */
  readonly from: number
  /** Its last line. */
  readonly to: number
}

/** A file to be read. */
export interface SourceText {
  /** Its extension tells the language. */
  readonly path: string
  readonly text: string
}

/** What reads files. */
export interface SymbolsShape {
  /**
   * The named parts of each file, in the order of the files; the symbols of one in the order of their first lines, and a
   * name may stand there more than once. Null for a file that is no code, is not whole, is too long or took too long:
   * who asks then speaks of its path. Never fails.
   */
  readonly of: (files: ReadonlyArray<SourceText>) => Effect.Effect<ReadonlyArray<ReadonlyArray<NamedPart> | null>>
}

/** Whether a path is one of TypeScript or JavaScript: others are not read. */
export const mayHaveSymbols = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path)

/** Replaced by an installation that has a parser. */
export const Symbols = Context.Reference("@pawl/core/project/Symbols", {
  defaultValue: (): SymbolsShape => ({ of: (files) => Effect.succeed(files.map(() => null)) })
})
