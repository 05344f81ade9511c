/** The release of one generation. */
import { api } from "../api/Client.ts"
import type { Answer, CallOptions } from "../api/Wire.ts"

/** Null where it has none. Asked for as a page of one: its own address would answer 404, which browsers complain about. */
export const releaseOf = async (
  id: string,
  generation: number,
  options: CallOptions
): Promise<Answer<"projects", "releases">["items"][number] | null> => {
  const query = { before: generation + 1, limit: 1 }
  const { items } = await api.projects.releases({ params: { id }, query }, options)
  return items[0] ?? null
}
