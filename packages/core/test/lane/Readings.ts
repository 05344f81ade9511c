/** Readings of a lane, written by hand. */
import type * as LanePlan from "@pawl/core/lane/LanePlan"
import type { Member, Seen } from "@pawl/core/lane/Line"
import type { LaneEntry } from "@pawl/core/model/LaneEntry"

/** What canonical is in them. */
export const onCanonical = { generation: 4, commit: "c4", tree: "t4" }

export const entry = (n: number, status: LaneEntry["status"], more: Partial<LaneEntry> = {}): LaneEntry =>
  ({
    id: `ent_${n}`,
    place: n,
    status,
    predictions: 0,
    passedBy: 0,
    candidateId: null,
    priority: "normal",
    ...more
  }) as LaneEntry

export const made = (n: number, base: Seen["base"], status: Seen["status"] = "verified"): Seen => ({
  id: `cand_${n}`,
  status,
  rejection: status === "rejected" ? "checks_failed" : null,
  reason: null,
  base,
  made: status === "composing" ? null : { commit: `m${n}`, tree: `mt${n}` },
  policyVersion: 1
})

export const member = (
  n: number,
  status: LaneEntry["status"],
  candidate: Seen | null,
  more: Partial<LaneEntry> = {}
): Member => ({
  entry: entry(n, status, more),
  change: { status: "verifying", laneEntryId: `ent_${n}` },
  candidate,
  owes: false
})

export const reading = (line: ReadonlyArray<Member>, more: Partial<LanePlan.Reading> = {}): LanePlan.Reading => ({
  lane: { state: "running", decided: [] },
  head: onCanonical,
  policy: { version: 1, lane: { mode: "on" } },
  archived: false,
  rolledBack: false,
  rollback: null,
  affordable: 20,
  line,
  ...more
})

/** What stands in a plan, in a line. */
export const told = (plan: typeof LanePlan, ...asked: Parameters<typeof reading>): string =>
  plan
    .planLane(reading(...asked))
    .map((step) => `${step._tag}${"entry" in step ? ` ${step.entry.id}` : ""}`)
    .join(", ")

/** Who stands where after the first step of a plan. */
export const orderAfter = (plan: typeof LanePlan, ...asked: Parameters<typeof reading>): ReadonlyArray<string> => {
  const before = reading(...asked)
  const step = plan.nextStep(before)
  return (step === null ? before : plan.after(before, step)).line.map(({ entry }) => entry.id)
}
