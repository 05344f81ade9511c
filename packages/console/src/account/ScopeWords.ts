/** What tokens may be used for, in words. */
import type { Answer } from "../api/Wire.ts"

/** One of the scopes of a token. */
export type Scope = Answer<"account", "me">["token"]["scopes"][number]

/** Each scope, weakest first, and what it lets a token do within what its user may. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  read: "read all that you see",
  write: "open Changes and send source",
  approve: "approve and reject",
  promote: "promote and roll back",
  admin: "settings, members, tokens, users"
}

/** All of them, weakest first. */
export const scopes = Object.keys(scopeWords) as ReadonlyArray<Scope>
