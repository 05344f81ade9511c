/** What Postgres's error codes mean for a batch. */

/** The five characters that Postgres gives each kind of error; null for what did not come from the server. */
export const codeOf = (cause: unknown): string | null =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : null

const againCodes = new Set([
  "40001", // could not serialize
  "40P01", // deadlock: this one was chosen to give way
  "23505" // another transaction took a unique value between a guard and a write: the guard sees it the next time
])
/** What is prepared no longer fits the tables (a newer program changed them), or is not there. */
const staleCodes = new Set(["0A000", "26000"])

/** The transaction was undone whole, and may go through when it is tried anew. */
export const isRaced = (cause: unknown): boolean => againCodes.has(codeOf(cause) ?? "")
/** The connection must be made anew before it is tried again. */
export const isStale = (cause: unknown): boolean => staleCodes.has(codeOf(cause) ?? "")
/** The server said no, and is still there: the connection can be used again. */
export const isAnswer = (cause: unknown): boolean => {
  const code = codeOf(cause)
  // 08: the connection, 57P: the server is going down. Node's own codes (ECONNRESET) are longer.
  return (
    code !== null &&
    code.length === 5 &&
    !code.startsWith("08") &&
    !code.startsWith("57P") &&
    /^[0-9A-Z]{5}$/.test(code)
  )
}
