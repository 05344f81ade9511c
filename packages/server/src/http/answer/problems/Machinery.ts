/** What is not the caller's fault: what broke inside is in the log only. */
import { problemOf, type Rows } from "./Row.ts"

export const internal = () =>
  problemOf(
    500,
    "internal",
    "The server made a mistake",
    "The server made a mistake. Tell its operator the requestId: the log has it."
  )

const unavailable = () =>
  problemOf(
    503,
    "unavailable",
    "Try again",
    "Something that the server needs is away at the moment. Nothing is known to be lost; try again.",
    { retryAfterSeconds: 1 }
  )

export const machineryProblems = {
  // Keys are made by the server, and what was just written is there.
  InvalidKey: internal,
  ObjectNotFound: internal,
  LeaseLost: unavailable,
  LedgerUnavailable: unavailable,
  ObjectStoreUnavailable: unavailable,
  RepositoriesUnavailable: unavailable,
  RouteReaderUnavailable: unavailable
} satisfies Partial<Rows>
