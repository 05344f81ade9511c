import { expect, it } from "vitest"
import * as Commit from "@pawl/core/ledger/Commit"
import type { MemoryState } from "@pawl/adapters-memory/MemoryState"
import type * as Staleness from "@pawl/core/candidate/Staleness"
import type { Head } from "@pawl/core/model/Generation"
import {
  addCandidate,
  candidateId,
  changeId,
  commit,
  commandsOf,
  must,
  newWorld,
  now,
  objectId,
  projectId
} from "../promotion/World.ts"
import { differing, type Mutation, survivors } from "./Mutants.ts"

type Rules = typeof Staleness

/** A verified Candidate on S0, and a canonical line that is not what it was made on. */
const ground = (head: Partial<Head>): MemoryState => {
  const state = newWorld()
  addCandidate(state, { n: 1, status: "verified" })
  if (Object.keys(head).length > 0)
    commit(state, {
      name: "test.head",
      projectId,
      writes: [Commit.update("head", must(state, "head", projectId), head)]
    })
  return state
}

/** What is stored once a Candidate was looked at. */
const stored = (rules: Rules, head: Partial<Head>) => looked(rules, ground(head))

/** The same of one that was made on S1, while canonical is at S0. */
const aheadOf = (rules: Rules) => {
  const state = ground({})
  commit(state, {
    name: "test.ahead",
    projectId,
    writes: [Commit.update("candidate", must(state, "candidate", candidateId(1)), { baseGeneration: 1 })]
  })
  return looked(rules, state)
}

const looked = (rules: Rules, state: MemoryState) => {
  const [candidate, change] = [must(state, "candidate", candidateId(1)), must(state, "change", changeId(1))]
  const before = state.events.get(projectId)?.last ?? 0
  const decided = rules.staleCommit(candidate, change, must(state, "head", projectId), false, now)
  if (decided !== null && !commit(state, decided)) return "not stored"
  const { reason, status } = must(state, "candidate", candidateId(1)).record
  const told =
    state.events
      .get(projectId)
      ?.events.slice(before)
      .map(({ type, data }) => [type, data["reason"]]) ?? []
  return [status, reason, told, commandsOf(state)]
}

const behind = (reason: string) => [
  "stale",
  reason,
  [["candidate.stale", reason]],
  [`candidate.recompose:${candidateId(1)}`]
]

/** Of a Candidate on S0, made on the first commit with the first tree. */
const otherBase = (commit: string, tree: string): string =>
  `canonical S0 is the commit ${commit} (tree ${tree}), this Candidate was made on ${objectId(1)} (tree ${objectId(1)})`

const oracle = (rules: Rules): string | null =>
  differing([
    ["on the head it stays", stored(rules, {}), ["verified", null, [], []]],
    [
      "canonical has advanced",
      stored(rules, { generation: 1 }),
      behind("canonical is at S1, this Candidate was made on S0")
    ],
    ["canonical has another tree", stored(rules, { tree: objectId(9) }), behind(otherBase(objectId(1), objectId(9)))],
    [
      "canonical has the same tree by another commit",
      stored(rules, { commit: objectId(9) }),
      behind(otherBase(objectId(9), objectId(1)))
    ],
    ["made on what is not there yet, it stays", aheadOf(rules), ["verified", null, [], []]]
  ])

const mutations: ReadonlyArray<Mutation> = [
  { bug: "the generation is not compared", find: "baseGeneration < generation || ", put: "" },
  { bug: "the commit is not compared", find: "baseCommit !== commit || ", put: "" },
  { bug: "the tree is not compared", find: " || baseTree !== tree", put: "" },
  { bug: "a base to come is behind", find: "baseGeneration < generation ||", put: "baseGeneration !== generation ||" },
  { bug: "everything is behind", find: "if (!isBehind(candidate.record, head.record)) return null", put: "" },
  { bug: "the reason is another", find: "baseGeneration === generation\n", put: "baseGeneration !== generation\n" },
  {
    bug: "nobody composes it anew",
    find: "Draft.send(draft, ...recomposition(candidate.record, change.record))",
    put: ""
  },
  { bug: "it is told as another thing", find: `{ "candidate.stale": told }`, put: `{ "candidate.blocked": told }` },
  {
    bug: "the Candidate is not marked",
    find: `Draft.step(draft, "candidate", candidate, "canonicalAdvanced", { reason }, {`,
    put: `Draft.tell(draft, candidate.record.id, {`
  }
]

it("catches every bug that is planted in what makes a Candidate stale", async () => {
  expect(await survivors<Rules>("candidate/Staleness.ts", mutations, oracle)).toEqual([])
})
