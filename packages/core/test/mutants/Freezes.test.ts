import { expect, it } from "vitest"
import type * as Freezes from "@pawl/core/approval/Freezes"
import type { Freeze } from "@pawl/core/model/Policy"
import { differing, type Mutation, survivors } from "./Mutants.ts"

const at = (hour: number) => `2026-01-01T${String(hour).padStart(2, "0")}:00:00.000Z`
const freeze = (from: number, until: number, fields: Partial<Freeze> = {}): Freeze => ({
  from: at(from),
  until: at(until),
  reason: `until ${until}`,
  ...fields
})
const ann = "usr_00000000-0000-4000-8000-00000000000a"

const oracle = ({ frozenBy }: typeof Freezes): string | null => {
  const asked = (
    now: number,
    freezes: ReadonlyArray<Freeze>,
    { kind = "goal", promoter = ann }: { kind?: "goal" | "rollback"; promoter?: string } = {}
  ) => {
    const frozen = frozenBy({ freezes }, { kind, promoter, now: at(now) })
    return frozen === null ? null : [frozen.until, frozen.reason]
  }
  const one = [freeze(2, 4)]
  const held = [at(4), "until 4"]
  const excepting = [freeze(2, 4, { except: [ann] })]
  return differing([
    ["nothing without a freeze", frozenBy({}, { kind: "goal", promoter: ann, now: at(2) }), null],
    ["not before it", asked(1, one), null],
    ["from its first moment on", asked(2, one), held],
    ["until its last", asked(3, one), held],
    ["not from its end on", asked(4, one), null],
    ["a rollback passes", asked(3, one, { kind: "rollback" }), null],
    ["whom it excepts passes", asked(3, excepting), null],
    ["nobody else", asked(3, excepting, { promoter: "usr_b" }), held],
    ["the one that ends last holds", asked(3, [freeze(2, 5), freeze(1, 6), freeze(3, 4)]), [at(6), "until 6"]],
    ["one after the other is one wait", asked(3, [freeze(4, 6), ...one, freeze(6, 7)]), [at(7), "until 4"]],
    ["a gap ends it", asked(3, [...one, freeze(5, 6)]), held]
  ])
}

const mutations: ReadonlyArray<Mutation> = [
  { bug: "rollbacks wait", find: `if (asked.kind === "rollback") return null`, put: "" },
  {
    bug: "nobody is excepted",
    find: "freezes.filter(({ except = [] }) => !except.some((id) => id === asked.promoter))",
    put: "freezes"
  },
  { bug: "everybody is excepted once somebody is", find: "id === asked.promoter", put: "true" },
  { bug: "it begins late", find: "from <= moment", put: "from < moment" },
  { bug: "it never begins", find: "from <= moment && ", put: "" },
  { bug: "it ends late", find: "moment < until)", put: "moment <= until)" },
  { bug: "it never ends", find: " && moment < until", put: "" },
  { bug: "the one that ends first holds", find: "? 1 : -1", put: "? -1 : 1" },
  { bug: "what follows is forgotten", find: "next !== undefined && next.until > until", put: "false" },
  { bug: "what follows says why", find: "reason: first.reason", put: `reason: ""` }
]

it("catches every bug that is planted in freezes", async () => {
  expect(await survivors<typeof Freezes>("approval/Freezes.ts", mutations, oracle)).toEqual([])
})
