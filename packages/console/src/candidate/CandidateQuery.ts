/** A Candidate, as its tabs ask for it: once for all of them. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"

/** A Candidate as the API answers it. */
export type Candidate = Answer<"candidates", "get">["candidate"]

/** Asked for again when it moves. */
export const useCandidate = (id: string): UseQueryResult<Candidate> =>
  useAnswer(
    keys.ofCandidate(id, "record"),
    async (options) => (await api.candidates.get({ params: { id } }, options)).candidate
  )
