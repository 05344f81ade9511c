/** What a page asks when it opens, before it draws anything: the first screen finds it answered. */
import type { QueryClient } from "@tanstack/react-query"
import { signedInQuery } from "../account/Me.ts"
import { inboxQuery } from "../inbox/InboxQuery.ts"
import { projectQuery } from "../project/ByLabel.ts"
import { labelIn } from "./Place.ts"
import { loadScreenAt } from "./Screens.ts"

/**
 * Who is there, then what the bar and the screen at a path ask for. One after the other: the news begin where the first
 * answer was given, so none may be older. What fails is asked again by whoever needs it.
 */
export const askForOpening = async (client: QueryClient, path: string): Promise<void> => {
  const who = client.fetchQuery(signedInQuery)
  // A browser has six connections, and a screen more files: the question stands before them, and what is drawn first.
  setTimeout(() => loadScreenAt(path))
  await who
  const label = labelIn(path)
  void client.prefetchQuery(inboxQuery)
  if (label !== null) void client.prefetchQuery(projectQuery(label))
}
