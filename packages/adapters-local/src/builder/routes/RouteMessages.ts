/** What is sent to the process that parses code for its routes, over Node's "advanced" IPC; it answers a list for each tree. */
import { Schema } from "effect"

/** How much of an app is read; what is over is left out, and the paths that it names with it. */
export interface RouteBounds {
  /** Files that are read. */
  readonly files: number
  /** A longer file is left out, in UTF-16 code units. */
  readonly parseCharacters: number
}

/** The code of one app: its main module, and files by path. */
export interface CodeTree {
  /** Null for an app of static assets alone. */
  readonly main: string | null
  readonly files: ReadonlyMap<string, Uint8Array>
}

/** Several trees to be read in one go, and the bounds for each. */
export interface RouteOrder {
  readonly trees: ReadonlyArray<CodeTree>
  readonly bounds: RouteBounds
}

/** The paths of each tree, in the order of the trees. */
export const RouteAnswer = Schema.Array(Schema.Array(Schema.String))
export type RouteAnswer = typeof RouteAnswer.Type
