/** Texts of a given form. The form stands in the OpenAPI document, in words too. */
import { Schema } from "effect"

/**
 * A check that a text fits a pattern; `message` are the words for one that does not. The source is read with the flag `u`:
 * only then is it a pattern of JSON Schema as well.
 */
export const matching = (source: string, message?: string) => {
  const words = `a string matching the pattern ${source}`
  return Schema.isPattern(new RegExp(source, "u"), {
    description: words,
    expected: words,
    ...(message === undefined ? {} : { message })
  })
}
