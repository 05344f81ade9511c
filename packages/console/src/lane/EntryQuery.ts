/** What the screens of the lane ask of one entry. */
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"

/** The entry, and why it stands where it stands. */
export const entryQuery = (projectId: string, id: string) => ({
  queryKey: keys.ofProject(projectId, "lane", id),
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.lane.entry({ params: { id } }, { signal })
})
