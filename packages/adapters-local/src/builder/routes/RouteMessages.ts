/** What is sent to the process that parses code for its routes, over Node's "advanced" IPC; it answers a list for each tree. */
import { Schema } from "effect"
import type { RouteBounds } from "./RouteTree.ts"

export interface CodeTree {
  /** Null for an app of static assets alone. */
  readonly main: string | null
  readonly files: ReadonlyMap<string, Uint8Array>
}

export interface RouteOrder {
  readonly trees: ReadonlyArray<CodeTree>
  readonly bounds: RouteBounds
}

export const RouteAnswer = Schema.Array(Schema.Array(Schema.String))
export type RouteAnswer = typeof RouteAnswer.Type
