/** What is sent to the process that parses code for its routes, over Node's "advanced" IPC; it answers a list for each tree. */
import { Schema } from "effect"
import type { RouteBounds } from "./RouteTree.ts"

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
