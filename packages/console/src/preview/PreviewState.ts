/** Whether a Candidate can be tried, and why not. */
import type { Candidate } from "../candidate/CandidateQuery.ts"
import type { Answer } from "../api/Wire.ts"

/** A preview as the API answers it. */
export type Preview = Answer<"candidates", "preview">["preview"]

/** Why there is nothing to try, in words. `isOver`: there was. */
export interface NoPreview {
  readonly title: string
  readonly words: string
  readonly isOver: boolean
}

/** Previews end this many days after they were made. */
const previewDays = 7

const yet = (words: string): NoPreview => ({ title: "There is no preview yet", words, isOver: false })

/** Why the API answers none. `build` is the verdict of the build check, `undefined` before it ended. */
export const whyNone = (candidate: Candidate, build: string | undefined): NoPreview => {
  if (build === "pass")
    return {
      title: "The preview has ended",
      words: `Previews end ${previewDays} days after they were made: the address answers 410 now. Ask for a new Candidate to try it again.`,
      isOver: true
    }
  if (candidate.status === "composing") return yet("The Candidate is being composed. It is built after that.")
  if (build === "fail") return yet("The build failed, so there is nothing to try. The evidence says why.")
  if (build === "gap") return yet("The build could not run. The evidence says what stood in its way.")
  if (candidate.status === "verifying") return yet("It is being built. The preview is here as soon as that is done.")
  if (candidate.plan_json !== null && !candidate.plan_json.checks.some(({ kind }) => kind === "build"))
    return yet("No check of this Project builds an app, so there is nothing to try.")
  return yet(candidate.reason ?? "The Candidate ended before it was built.")
}

/** Why a preview that there is cannot be shown; null when it can. */
export const whyNotShown = ({ expiresAt, status }: Preview, nowMs: number): NoPreview | null => {
  if (status === "removed" || Date.parse(expiresAt) <= nowMs)
    return {
      title: "The preview has ended",
      words: `Previews end ${previewDays} days after they were made: the address answers 410 now. Ask for a new Candidate to try it again.`,
      isOver: true
    }
  if (status === "live") return null
  if (status === "building") return yet("Its app is being made ready. The preview is here as soon as that is done.")
  if (status === "limit_reached") return yet("The builds of the day are used up. It goes on the next day (UTC).")
  return yet("Its app could not be built. The evidence says why.")
}
