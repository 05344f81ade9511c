/** Diffs are answered in two forms, by the `Accept` header, whole or of one path. */
import { Schema } from "effect"

/** The query of a diff. */
export const DiffParams = Schema.Struct({
  /** Only what changes at this path, or below it. */
  path: Schema.optionalKey(Schema.String)
})

/** What the description of a diff says of its query. */
export const pathWords =
  "`path` keeps one file of it, or what lies below a folder: nothing where nothing changes there, 400 `invalid_path` for what is no path of a file."

/** An operation of the OpenAPI document with `200` replaced. */
export const withSuccess = (operation: Record<string, unknown>, success: unknown): Record<string, unknown> => {
  const responses = operation["responses"]
  return { ...operation, responses: { ...(typeof responses === "object" ? responses : {}), 200: success } }
}

/** Adds the text form to a diff operation of the OpenAPI document. */
export const diffed = (operation: Record<string, unknown>): Record<string, unknown> =>
  withSuccess(operation, {
    description: "Success",
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/Diff" } },
      "text/plain": { schema: { type: "string" } }
    }
  })
