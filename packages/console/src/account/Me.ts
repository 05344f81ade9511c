/** Who asks: asked for once, and used by several screens. */
import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { session, type SignedIn } from "../api/Session.ts"
import type { Answer } from "../api/Wire.ts"

/** The caller, their places, and what this session may do. */
export type Me = Answer<"account", "me">

/** Whose session this is, as it is asked for. */
export const signedInQuery = queryOptions({
  queryKey: keys.session,
  // What was refused before anything was drawn is not asked again because it is.
  retryOnMount: false,
  queryFn: ({ client, signal }) =>
    session.current({ signal }, () =>
      client.fetchQuery({
        queryKey: keys.wayIn,
        queryFn: () => session.wayIn({ signal }),
        staleTime: 0,
        // The question around it is asked again.
        retry: false
      })
    )
})

/** Whose session this is: answered before anything else is shown. */
export const useSignedIn = (when: { readonly enabled?: boolean } = {}): UseQueryResult<SignedIn> =>
  useQuery({ ...signedInQuery, ...when })

/** The caller. */
export const useMe = (): UseQueryResult<Me> => useAnswer(["me"], (options) => api.account.me({}, options))
