import { describe, expect, it } from "vitest"
import * as Staleness from "@pawl/core/candidate/Staleness"
import * as LanePlan from "@pawl/core/lane/LanePlan"
import * as Canonical from "@pawl/core/promotion/Canonical"
import type { Member, Seen } from "@pawl/core/lane/Line"
import { explore } from "@pawl/testing/tools/Explorer"
import { broken, keyOf } from "../lane/LaneInvariants.ts"
import { next } from "../lane/LaneHappenings.ts"
import { begin, type Happenings, nothing, type Rules, type World } from "../lane/LaneWorld.ts"
import { made, member, onCanonical, orderAfter, reading, told } from "../lane/Readings.ts"
import { differing, type Mutation, survivors } from "./Mutants.ts"

/** What a lane that is walked comes to. */
const fault = (rules: Rules, happenings: Happenings): string | null => faultFrom(begin(happenings), rules, happenings)

const faultFrom = (initial: World, rules: Rules, happenings: Happenings): string | null => {
  const walked = explore(
    {
      initial,
      next: (world) => next(world, happenings, rules),
      key: keyOf,
      broken: (world) => broken(world, happenings, rules)
    },
    5_000
  )
  return walked.violation === null ? null : `${walked.violation.problem}: ${walked.violation.path.join(", ")}`
}

const walks: ReadonlyArray<Happenings> = [
  { ...nothing, entries: 2, rollbacks: 1, cancels: 1 },
  { ...nothing, entries: 2, policies: 1 },
  { ...nothing, entries: 2, approvals: true },
  { ...nothing, entries: 3, conflicts: [["a", "b"]] },
  { ...nothing, entries: 2, byHand: true, moves: 1 }
]

/** What was ordered waits for a thaw, while it is paused, or its Change is taken out. */
const heldBack: Happenings = { ...nothing, entries: 1, pauses: 1, withdrawals: 1, freezes: 1 }

/** A person promotes what was planned under an older Policy. */
const byHandUnderPolicies: Happenings = { ...nothing, entries: 2, policies: 1, byHand: true }

const walked = (rules: Rules): string | null => {
  for (const each of walks) {
    const found = fault(rules, each)
    if (found !== null) return found
  }
  return null
}

const failed = member(1, "running", made(1, onCanonical, "rejected"))
const passed = member(1, "running", made(1, onCanonical))
const first = member(1, "running", made(1, onCanonical, "verifying"))
const retried: Member = { ...first, retried: true }
const onFirst = { generation: 5, commit: "m1", tree: "mt1" }
const conflict: Seen = { ...made(2, onFirst, "rejected"), rejection: "merge_conflict", made: null }
const owing = made(2, onFirst)
const codeOf = (step: LanePlan.LaneStep | null): string | null => (step !== null && "code" in step ? step.code : null)
const paused = { lane: { state: "paused", decided: [] } } as const

const planned = (plan: typeof LanePlan): string | null =>
  differing([
    [
      "who failed first is rejected before the next one lands",
      told(plan, [failed, member(2, "running", made(2, onCanonical))]),
      "Doubt ent_1, Pass ent_2, Reject ent_1, Land ent_2"
    ],
    ["a paused lane lands nobody", told(plan, [passed], paused), "Pass ent_1"],
    ["a paused lane composes nobody", told(plan, [member(1, "waiting", null)], paused), ""],
    [
      "nobody is composed deeper than the depth",
      told(plan, [member(1, "running", made(1, onCanonical, "verifying")), member(2, "waiting", null)], {
        affordable: 1
      }),
      ""
    ],
    [
      "who was predicted too often waits",
      told(plan, [
        member(1, "running", made(1, onCanonical, "verifying")),
        member(2, "waiting", null, { predictions: 17 })
      ]),
      ""
    ],
    ["nobody lands before a rollback that is under way", told(plan, [passed], { rollback: "chg_back" }), "Pass ent_1"],
    [
      "what was verified before is had again, whatever is left",
      told(plan, [member(1, "waiting", made(1, onCanonical))], { affordable: 0 }),
      "Compose ent_1"
    ],
    [
      "who came when nothing was left waits for more",
      told(plan, [{ ...failed, ranOut: true }], { affordable: 0 }),
      "Refute ent_1"
    ],
    [
      "who was approved lands as it is",
      orderAfter(plan, [
        member(1, "running", made(1, onCanonical, "verifying"), { candidateId: "cand_1" }),
        member(2, "aside", { ...made(2, onCanonical), asksApproval: true })
      ]),
      ["ent_2", "ent_1"]
    ],
    ["a rollback holds the lane once", told(plan, [], { rolledBack: true }), "Hold"],
    [
      "a rollback that was looked at holds nothing",
      told(plan, [], { rolledBack: true, lane: { state: "running", decided: [], heldAt: 4 } }),
      ""
    ],
    [
      "nobody lands while one before it is undecided",
      told(plan, [member(1, "waiting", null), member(2, "ready", made(2, onCanonical))]),
      "Compose ent_1"
    ],
    ["who owes a decision goes aside at once", told(plan, [{ ...passed, owes: true }]), "Aside ent_1"],
    [
      "a stale Candidate is made anew",
      told(plan, [member(1, "running", made(1, onCanonical, "stale"))]),
      "Refute ent_1, Compose ent_1"
    ],
    [
      "a conflict with one before it is no failure",
      told(plan, [first, member(2, "running", conflict)]),
      "Refute ent_2"
    ],
    ["nor is it tried again on the same base", told(plan, [first, member(2, "waiting", conflict)]), ""],
    [
      "a cancelled one leaves as cancelled",
      codeOf(plan.nextStep(reading([{ ...passed, change: { status: "cancelled", laneEntryId: "ent_1" } }]))),
      "change_cancelled"
    ],
    ...(["doubtful", "aside", "waiting"] as const).map(
      (status) =>
        [
          `nobody waits for one that is ${status}`,
          told(plan, [
            first,
            { ...member(2, status, status === "aside" ? owing : conflict), owes: status === "aside" },
            member(3, "waiting", null)
          ]),
          "Compose ent_3"
        ] as const
    ),
    [
      "who owes a decision does not land",
      told(plan, [{ ...member(1, "ready", made(1, onCanonical)), owes: true }]),
      "Aside ent_1"
    ],
    [
      "those behind who is retried are predicted without it",
      told(plan, [retried, member(2, "running", made(2, onFirst, "verifying"))]),
      "Refute ent_2, Compose ent_2"
    ],
    [
      "who is retried is not overtaken",
      told(plan, [retried, member(2, "running", made(2, onCanonical))]),
      "Pass ent_2"
    ],
    [
      "nobody is rejected behind who is retried",
      told(plan, [retried, member(2, "running", made(2, onCanonical, "rejected"))]),
      "Doubt ent_2"
    ],
    [
      "a wrong prediction counts",
      plan.nextStep(reading([member(1, "ready", made(1, { ...onCanonical, commit: "other" }))])),
      {
        _tag: "Refute",
        entry: member(1, "ready", null).entry,
        reason: "what it was made on will not be canonical",
        counts: true
      }
    ]
  ])

const inLine = "lane/Line.ts"
const inOrders = "promotion/LaneOrder.ts"
const inStaleness = "candidate/Staleness.ts"

const mutations: ReadonlyArray<Mutation> = [
  {
    bug: "blamed while others before it are undecided",
    find: `if (candidate === null || base === null || !isSameEnd(base, head)) return null
    const reason`,
    put: `if (candidate === null) return null
    const reason`
  },
  {
    bug: "blamed on what is not canonical",
    find: `if (entry.status !== "doubtful" || !isSameEnd(candidate.base, head)) return null`,
    put: `if (entry.status !== "doubtful") return null`
  },
  {
    bug: "a refuted one is kept",
    find: `if (stands[index] !== true) return refute(entry, "what it was made on will not be canonical", true)
    return base === null || isSameEnd(candidate.base, base) ? null : overtaken(entry, base)`,
    put: "return null"
  },
  {
    bug: "those behind a doubtful one stay on it",
    find: `!isUnderWay(member) && entry.status !== "doubtful"`,
    put: "!isUnderWay(member)"
  },
  {
    bug: "lands before those that are undecided",
    find: `if (candidate === null || base === null || entry.status !== "ready" || owes) return null`,
    put: `if (candidate === null || entry.status !== "ready" || owes) return null; if (base === null) return change.status === "promoting" ? null : { _tag: "Land", entry }`
  },
  { bug: "lands first, rejects then", find: "rejections, holds, landings", put: "landings, rejections, holds" },
  { bug: "nobody is rejected", find: "rejections, holds,", put: "holds," },
  { bug: "nobody lands", find: "landings, refutations", put: "refutations" },
  { bug: "a rollback holds nothing", find: "holds, landings", put: "landings" },
  { bug: "held again and again", find: "head.generation > (lane.heldAt ?? -1)", put: 'lane.state === "running"' },
  {
    bug: "paused, it lands",
    find: `if (lane.state === "paused" || rollback !== null) return null`,
    put: "if (rollback !== null) return null"
  },
  {
    bug: "lands before a rollback that is under way",
    find: `if (lane.state === "paused" || rollback !== null) return null`,
    put: `if (lane.state === "paused") return null`
  },
  {
    bug: "paused, it composes",
    find: `if (lane.state === "paused") return null
  const depth`,
    put: "const depth"
  },
  { bug: "as deep as the line is long", find: "if (place > depth && !isThrough(member, base)) return null", put: "" },
  { bug: "what was verified is paid for again", find: " && !isThrough(member, base)", put: "" },
  { bug: "who came when nothing was left is blamed", find: " || ranOut === true", put: "" },
  { bug: "who was approved is made anew", find: "indexAsIs(others, member, reading) ?? ", put: "" },
  {
    bug: "predicted without end",
    find: "if (entry.predictions > Limits.lanePredictions && !isSameEnd(base, head)) return null",
    put: ""
  },
  {
    bug: "a wrong prediction does not count",
    find: `return refute(entry, "what it was made on will not be canonical", true)`,
    put: `return refute(entry, "what it was made on will not be canonical", false)`
  },
  { bug: "who owes a decision passes", find: `_tag: owes ? "Aside" : "Pass"`, put: `_tag: "Pass"` },
  {
    bug: "who was decided never comes back",
    find: "member === undefined ? null : returning(reading, member)",
    put: "null"
  },
  {
    bug: "who was planned under an old Policy stays",
    find: `if (candidate.status !== "verified" || candidate.policyVersion !== version) return { _tag: "Replan", entry }`,
    put: ""
  },
  {
    bug: "a stale Candidate is waited for",
    find: `if (candidate.status === "stale" || candidate.status === "blocked")`,
    put: "if (false)"
  },
  {
    bug: "a conflict is a failure",
    find: "couldNotBeComposed(candidate) || candidate.rejection",
    put: "candidate.rejection"
  },
  { bug: "who does not merge is never told", find: "if (isUnmergeable(member, base))", put: "if (false)" },
  {
    bug: "who does not merge is tried for ever",
    find: " || isUnmergeable(member, base)) return null",
    put: ") return null"
  },
  { bug: "a cancelled one stays", find: `if (change.status === "cancelled")`, put: "if (false)" },
  { bug: "two commits of one tree are one", file: inLine, find: " && a.commit === b.commit", put: "" },
  {
    bug: "those behind wait for who failed",
    file: inLine,
    find: "(hasFailed(member) &&",
    put: "(false &&"
  },
  {
    bug: "those behind wait for who owes a decision",
    file: inLine,
    find: `member.entry.status === "aside" ||`,
    put: ""
  },
  { bug: "those behind wait for who does not merge", file: inLine, find: "isUnmergeable(member, wanted) ||", put: "" },
  {
    bug: "those behind wait for who is retried",
    file: inLine,
    find: `member.entry.status === "doubtful" || isRetried(member)`,
    put: `member.entry.status === "doubtful"`
  },
  {
    bug: "who is retried is overtaken",
    find: "return first(decidable(line), ({ candidate, change, entry, owes }, index)",
    put: "return first(line, ({ candidate, change, entry, owes }, index)"
  },
  {
    bug: "blamed while one before it is retried",
    find: "return first(decidable(line), (member, index)",
    put: "return first(line, (member, index)"
  },
  { bug: "a base stands whatever became of it", file: inLine, find: "return stands\n", put: "return true\n" }
]

/** Canonical is `ba`; `c` was verified on `ab`, which holds the same, and a person promotes it. */
const overtaken = (canonical: typeof Canonical): string | null => {
  const rules = { plan: LanePlan, staleness: Staleness, canonical }
  const happenings = { ...nothing, entries: 3, byHand: true }
  const world = begin(happenings)
  const [a, b, c] = world.members as [Member, Member, Member]
  const base = { generation: 2, commit: "ab", tree: "tab" }
  const candidate: Seen = { ...made(3, base), made: { commit: "abc", tree: "tabc" } }
  const done = (each: Member): Member => ({
    ...each,
    entry: { ...each.entry, status: "landed", outcome: { code: "landed" } },
    change: { status: "completed" },
    candidate: { ...made(1, base), status: "promoted" }
  })
  const step = (generation: number, commit: string, on: string) => ({
    end: { generation, commit, tree: generation === 1 ? "tb" : "tab" },
    on,
    policyVersion: 1,
    planned: 1,
    name: commit.at(-1)!
  })
  const start: World = {
    ...world,
    head: { ...base, commit: "ba" },
    line: [...world.line, step(1, "b", ""), step(2, "ba", "b")],
    known: { tb: true, tab: true, tabc: true },
    members: [done(a), done(b), { ...c, entry: { ...c.entry, status: "ready" }, candidate }]
  }
  return broken(start, happenings, rules) ?? faultFrom(start, rules, happenings)
}

describe("Bugs that are planted in the lane", () => {
  it("are caught, each, by what its plan says or by a walk through its states", async () => {
    const oracle = (plan: typeof LanePlan) =>
      planned(plan) ?? walked({ plan, staleness: Staleness, canonical: Canonical })
    expect(await survivors<typeof LanePlan>("lane/LanePlan.ts", mutations, oracle)).toEqual([])
  })

  it("are caught in the swap: without the commit on a tree that two commits have, and without tree or Policy", async () => {
    const swap: ReadonlyArray<Mutation> = [
      {
        bug: "generation and tree alone are compared",
        file: inStaleness,
        find: "baseCommit !== commit || ",
        put: ""
      },
      {
        bug: "the generation alone is compared",
        file: inStaleness,
        find: "(baseCommit !== commit || baseTree !== tree)",
        put: "false"
      },
      {
        bug: "the tree alone is compared",
        file: inStaleness,
        find: "baseGeneration < generation || (baseGeneration === generation && (baseCommit !== commit || baseTree !== tree))",
        put: "baseTree !== tree"
      },
      {
        bug: "the base is not compared",
        file: inStaleness,
        find: "baseGeneration < generation || ",
        put: "false && "
      },
      {
        bug: "the Policy is not compared",
        find: "plan.policyVersion !== policy.record.version",
        put: "false"
      },
      {
        bug: "what was ordered lands while the lane is paused",
        file: inOrders,
        find: `inLane.lane.record.state === "paused" || `,
        put: ""
      },
      {
        bug: "what was ordered lands without its entry",
        file: inOrders,
        find: `if (inLane === undefined || `,
        put: `if (inLane === undefined) return true; if (`
      }
    ]
    const oracle = (canonical: typeof Canonical) =>
      overtaken(canonical) ??
      walked({ plan: LanePlan, staleness: Staleness, canonical }) ??
      fault({ plan: LanePlan, staleness: Staleness, canonical }, byHandUnderPolicies) ??
      fault({ plan: LanePlan, staleness: Staleness, canonical }, heldBack)
    expect(await survivors<typeof Canonical>("promotion/Canonical.ts", swap, oracle)).toEqual([])
  })
})
