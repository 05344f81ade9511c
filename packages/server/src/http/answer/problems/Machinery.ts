/** What is not the caller's fault: what broke inside is in the log only. */
import { problemOf, type Rows } from "./Row.ts"

/** 500 `internal`: says nothing of what broke, which is in the log under the request's id. */
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

/** Machinery that is away, and mistakes of ours. */
export const machineryProblems = {
  // Keys are made by the server, and what was just written is there.
  InvalidKey: internal,
  ObjectNotFound: internal,
  LeaseLost: unavailable,
  LedgerUnavailable: unavailable,
  AppRuntimeUnavailable: unavailable,
  ObjectStoreUnavailable: unavailable,
  PackagesUnavailable: unavailable,
  RepositoriesUnavailable: unavailable,
  RouteReaderUnavailable: unavailable,
  SignerUnavailable: unavailable,
  TemplatesUnavailable: unavailable,
  ProviderUnavailable: unavailable
} satisfies Partial<Rows>
