/** Statements as an object's SQLite takes them: texts, names and values, of which all that changes a shape is made. */
import type { Compiler, Segment } from "effect/sql/Statement"

const textOf = (segment: Segment, params: Array<unknown>): string => {
  switch (segment._tag) {
    case "Literal":
      params.push(...(segment.params ?? []))
      return segment.value
    case "Identifier":
      return `"${segment.value.replaceAll('"', '""')}"`
    case "Parameter":
      params.push(segment.value)
      return "?"
    default:
      // The library knows more, for which it has a compiler of 3 KB.
      throw new Error(`a statement that changes the shape holds ${segment._tag}`)
  }
}

/** For SQLite, without transforms. */
export const shapeCompiler: Compiler = {
  dialect: "sqlite",
  compile: ({ segments }) => {
    const params: Array<unknown> = []
    return [segments.map((segment) => textOf(segment, params)).join(""), params]
  },
  get withoutTransform() {
    return this
  }
}
