/** Diffs are answered in two forms, by the `Accept` header. */

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
