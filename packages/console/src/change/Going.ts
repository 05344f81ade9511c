/** What became of a promoted Candidate: canonical at once, live when the server serves it. */
import type { Answer } from "../api/Wire.ts"

type App = Answer<"apps", "get">["app"]
type Release = Answer<"projects", "releases">["items"][number]

/** One sentence, and whether it is live now. */
export interface Going {
  readonly words: string
  /** A status, as `Status` draws it. */
  readonly status: "live" | "releasing" | "failed" | "promoted"
}

/** Of a generation: it is live once its release is over and the app serves it. */
export const goingOf = (generation: number, app: App, release: Release | null): Going => {
  if (release?.status === "failed" || release?.status === "smoke_failed")
    return {
      words: `S${generation} is canonical, and its release failed: ${release.reason ?? "no reason was given"}`,
      status: "failed"
    }
  if (release?.status === "queued" || release?.status === "building")
    return { words: `S${generation} is canonical; its release is under way`, status: "releasing" }
  if (app !== null && app.status === "live" && app.generation === generation)
    return { words: `S${generation} is live`, status: "live" }
  if (app !== null && app.generation !== null && app.generation > generation)
    return { words: `S${generation} was promoted; S${app.generation} is live now`, status: "promoted" }
  return app === null && release === null
    ? { words: `S${generation} is canonical; there is no app to release it to`, status: "promoted" }
    : { words: `S${generation} is canonical`, status: "promoted" }
}
