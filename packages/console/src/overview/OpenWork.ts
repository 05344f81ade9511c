/** Asks for the Changes that are open: of all Changes the newest hundred may all be over, with work open behind them. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { openStatuses } from "../change/ChangeFilters.ts"

/** The newest that are open, as many as the API answers at once; `nextCursor` is null where these are all. */
export const useOpenWork = (id: string): UseQueryResult<Answer<"changes", "list">> =>
  useAnswer(keys.ofProject(id, "changes", "open"), (options) =>
    api.changes.list({ params: { id }, query: { status: openStatuses } }, options)
  )
