/** Syntax trees, of which only what is looked at here is known. */
import { parseSync } from "vite"

/** A part of a program, with the place of its text. */
export interface Part {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly name?: string
  /** Of a literal: what it is. */
  readonly value?: unknown
  readonly computed?: boolean
  /** Of a field that is named as its value is. */
  readonly shorthand?: boolean
  readonly id?: Part | null
  readonly init?: Part | null
  readonly key?: Part
  readonly callee?: Part
  readonly object?: Part
  readonly property?: Part
  readonly arguments?: ReadonlyArray<Part>
  readonly declarations?: ReadonlyArray<Part>
}

const isPart = (value: unknown): value is Part =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value

/** The parts right below one. */
export const partsIn = (part: Part): ReadonlyArray<Part> => Object.values(part).flat().filter(isPart)

/** The statements of a module. Throws for what is none. */
export const statementsOf = (name: string, text: string): ReadonlyArray<Part> => {
  const { errors, program } = parseSync(name, text)
  if (errors.length > 0) throw new Error(`${name}: ${errors.map(({ message }) => message).join("; ")}`)
  const body: ReadonlyArray<unknown> = program.body
  return body.filter(isPart)
}

/** A place of a text, and what is to stand there. */
export interface Cut {
  readonly from: number
  readonly to: number
  readonly by: string
}

/** The text with others in these places, none of which lies in another. */
export const withCuts = (text: string, cuts: ReadonlyArray<Cut>): string => {
  let [told, at] = ["", 0]
  for (const { by, from, to } of cuts.toSorted((a, b) => a.from - b.from)) {
    told += text.slice(at, from) + by
    at = to
  }
  return told + text.slice(at)
}
