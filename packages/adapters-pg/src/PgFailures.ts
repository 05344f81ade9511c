/** What Postgres's error codes mean, for a batch and for whoever asks. */
import * as SqlError from "effect/sql/SqlError"

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

interface Failure {
  readonly cause: unknown
  readonly message: string
  readonly operation: string
}

const constraintOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "constraint" in cause && typeof cause.constraint === "string"
    ? cause.constraint
    : "unknown"

/** By the beginning of the code; the first that fits. */
const reasons: ReadonlyArray<readonly [code: string, make: (failure: Failure) => SqlError.SqlErrorReason]> = [
  ["28", (failure) => new SqlError.AuthenticationError(failure)],
  ["42501", (failure) => new SqlError.AuthorizationError(failure)],
  ["42", (failure) => new SqlError.SqlSyntaxError(failure)],
  ["23505", (failure) => new SqlError.UniqueViolation({ ...failure, constraint: constraintOf(failure.cause) })],
  ["23", (failure) => new SqlError.ConstraintError(failure)],
  ["40P01", (failure) => new SqlError.DeadlockError(failure)],
  ["40001", (failure) => new SqlError.SerializationError(failure)],
  ["55P03", (failure) => new SqlError.LockTimeoutError(failure)],
  ["57014", (failure) => new SqlError.StatementTimeoutError(failure)]
]

/** What Effect calls it. A code that is not the server's word on a statement is about the connection. */
export const reasonFor = (failure: Failure): SqlError.SqlErrorReason => {
  const code = codeOf(failure.cause)
  if (code === null) return new SqlError.UnknownError(failure)
  if (!isAnswer(failure.cause)) return new SqlError.ConnectionError(failure)
  const found = reasons.find(([start]) => code.startsWith(start))
  return found === undefined ? new SqlError.UnknownError(failure) : found[1](failure)
}
