/** What commands print with `--json`. */

/** One document on one line. What JSON escapes is no byte of its own: no ESC is left. */
export const jsonDocument = (json: object): string =>
  JSON.stringify(json).replace(/[\u007f-\u009f]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A failure: a code for programs, words for people, and what goes on from here. */
export const failureDocument = (code: string, detail: string): string => jsonDocument({ code, detail, next: [] })
