/** What a risk is, and what is known of why. */
import type { Candidate, Why } from "../change/Records.ts"
import type { Tone } from "../ui/StatusTone.ts"

type RiskTier = NonNullable<Candidate["plan_json"]>["riskTier"]

const words: Readonly<Record<RiskTier, string>> = {
  low: "It touches only files that nobody runs.",
  medium: "It touches what runs, and nothing that judges or configures it.",
  high: "It touches checks, settings, migrations or packages, or breaks an old promise.",
  unknown: "What it changes could not be read."
}

/** What a tier means, in general. */
export const riskWords = (tier: RiskTier): string => words[tier]

/** The colour of a tier. */
export const riskTone = (tier: RiskTier): Tone =>
  tier === "high" || tier === "unknown" ? "bad" : tier === "medium" ? "warn" : "idle"

/** The same of a Change, whose tier is unknown until its first Candidate. */
export const changeRiskTone = (tier: RiskTier): Tone => (tier === "unknown" ? "idle" : riskTone(tier))

const list = (all: ReadonlyArray<string>, count: number): string =>
  all.length < count ? `${all.join(", ")} and ${count - all.length} more` : all.join(", ")

/** What the server says that it saw: packages that are to be looked at, and old promises that were not seen to hold. */
export const riskReasons = ({ plan_json }: Pick<Candidate, "plan_json">, why: Why | null): ReadonlyArray<string> => [
  ...(plan_json?.packages?.concerns ?? []).map(
    ({ concern, name, version }) =>
      `Package ${name}${version === null ? "" : ` ${version}`}: ${concern.replaceAll("_", " ")}`
  ),
  ...(why?.approval.brokenPromises ?? []).map(
    ({ checkId, count, paths, summary }) => `Old form of ${checkId} (${list(paths, count)}): ${summary}`
  )
]
