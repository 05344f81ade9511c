/** What a ChangeSet does to what it stands on. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Diff } from "./Files.ts"

/** It never changes: no news make it stale. */
export const useChangeSetDiff = (id: string): UseQueryResult<Diff> =>
  useAnswer(["changeset", id, "diff"], (options) => api.changesets.diff({ params: { id } }, options))
