/**
 * What a tool takes, as a model is told of it. It stands in a file of its own: where code is counted in bytes the shapes are
 * made when it is laid out, and what makes them stays behind.
 */
import { Schema } from "effect"
import type { Tool } from "./Models.ts"

/** The shape of what the tool of this name takes, as JSON schema. */
export const shapeOf = (_tool: string, input: Schema.Top): Tool["parameters"] =>
  Schema.toJsonSchemaDocument(input).schema
