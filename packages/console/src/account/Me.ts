/** Who asks: asked for once, and used by several screens. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"

/** The caller, their places, and what this session may do. */
export type Me = Answer<"account", "me">

/** The caller. */
export const useMe = (): UseQueryResult<Me> => useAnswer(["me"], (options) => api.account.me({}, options))
