/** Why a Candidate has the risk that it has, in lines for a terminal, in the words of the console. Pure. */
import type { Candidate } from "./Candidates.ts"
import type { Answer } from "./Routes.ts"

type Plan = NonNullable<Candidate["plan_json"]>

const words: Readonly<Record<Plan["riskTier"], string>> = {
  low: "it touches only files that nobody runs",
  medium: "it touches what runs, and nothing that judges or configures it",
  high: "it touches checks, settings, migrations or packages, or breaks an old promise",
  unknown: "what it changes could not be read"
}

const list = (all: ReadonlyArray<string>, count: number): string =>
  all.length < count ? `${all.join(", ")} and ${count - all.length} more` : all.join(", ")

/** What the tier means, the packages that are to be looked at, and old promises that were not seen to hold. */
export const riskLines = (
  plan: Candidate["plan_json"],
  { approval }: Pick<Answer<"candidates.why">, "approval">
): ReadonlyArray<string> => [
  ...(plan === null ? [] : [`${plan.riskTier}: ${words[plan.riskTier]}`]),
  ...(plan?.packages?.concerns ?? []).map(
    ({ concern, name, version }) =>
      `package ${name}${version === null ? "" : ` ${version}`}: ${concern.replaceAll("_", " ")}`
  ),
  ...approval.brokenPromises.map(
    ({ checkId, count, paths, summary }) =>
      `old form of ${checkId} (${list(paths, count)}): ${summary.split("\n", 1)[0] ?? ""}`
  )
]
