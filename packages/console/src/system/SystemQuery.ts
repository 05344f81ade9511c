/** What the API tells of the installation to those who own it. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import { asRefusal } from "../api/Refusal.ts"
import type { Answer } from "../api/Wire.ts"

/** One look at it. */
export type System = Answer<"system", "get">

/** Null for those who may not see it: its cards are not there. */
export const useSystem = (): UseQueryResult<System> | null => {
  const query = useAnswer(["system"], (options) => api.system.get({}, options))
  return isForOthers(query) ? null : query
}

/** Whether it was refused for who asks owns nothing of the installation. */
export const isForOthers = ({ error }: Pick<UseQueryResult, "error">): boolean =>
  error !== null && asRefusal(error).code === "insufficient_role"
