/** Who asks: asked for once, and used by several screens. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { session, type SignedIn } from "../api/Session.ts"
import type { Answer } from "../api/Wire.ts"

/** The caller, their places, and what this session may do. */
export type Me = Answer<"account", "me">

/** Whose session this is: answered before anything else is shown. */
export const useSignedIn = (when: { readonly enabled?: boolean } = {}): UseQueryResult<SignedIn> =>
  useAnswer(keys.session, session.current, when)

/** The caller. */
export const useMe = (): UseQueryResult<Me> => useAnswer(["me"], (options) => api.account.me({}, options))
