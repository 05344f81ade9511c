/**
 * Reads symbols, and what is wrong with the syntax of a text, with the parser that builds have: in a process of its own, for
 * anyone may have written the code, and no parser promises to end soon.
 */
import { jsonProblem, Syntax, type SyntaxShape } from "@pawl/core/agent/Syntax"
import { mayHaveSymbols, type SourceText, Symbols, type SymbolsShape } from "@pawl/core/project/Symbols"
import { Context, Effect, Layer, Option } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { type CodeParser, open } from "./CodeParser.ts"

const unread = (files: ReadonlyArray<SourceText>) => files.map(() => null)

/** As many of the files, from the first on, as are read in one go. */
const worthReading = (files: ReadonlyArray<SourceText>): ReadonlyArray<SourceText> => {
  let characters = 0
  return files.filter(({ path, text }) => {
    if (!mayHaveSymbols(path) || text.length > LocalLimits.symbolsFileCharacters) return false
    characters += text.length
    return characters <= LocalLimits.symbolsCharacters
  })
}

const symbolsBy = ({ ask }: CodeParser): SymbolsShape["of"] =>
  Effect.fnUntraced(function* (files) {
    const read = worthReading(files)
    if (read.length === 0) return unread(files)
    const answer = yield* ask({ wanted: "parts", files: read }, LocalLimits.symbolsMs)
    if (Option.isNone(answer)) return unread(files)
    return files.map((file) => answer.value.parts[read.indexOf(file)] ?? null)
  }, Effect.withSpan("BabelSymbols.of"))

/** What takes too long is told to be fine: checks and builds find what it is. */
const syntaxBy = ({ ask }: CodeParser): SyntaxShape["check"] =>
  Effect.fnUntraced(function* (path, text) {
    const read = worthReading([{ path, text }])
    if (read.length === 0) return jsonProblem(path, text)
    const answer = yield* ask({ wanted: "problems", files: read }, LocalLimits.syntaxMs)
    return Option.isNone(answer) ? null : (answer.value.problems[0] ?? null)
  }, Effect.withSpan("BabelSymbols.check"))

/** Both ports, by one process. */
export const layer: Layer.Layer<never> = Layer.effectContext(
  Effect.map(open, (parser) =>
    Context.make(Symbols, { of: symbolsBy(parser) }).pipe(Context.add(Syntax, { check: syntaxBy(parser) }))
  )
)
