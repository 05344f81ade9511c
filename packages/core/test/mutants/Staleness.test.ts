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
const stored = (rules: Rules, head: Partial<Head>) => {
  const state = ground(head)
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
  return [status, reason, told, [...state.commands.keys()]]
}

const behind = (reason: string) => [
  "stale",
  reason,
  [["candidate.stale", reason]],
  [`candidate.recompose:${candidateId(1)}`]
]

const oracle = (rules: Rules): string | null =>
  differing([
    ["on the head it stays", stored(rules, {}), ["verified", null, [], []]],
    [
      "canonical has advanced",
      stored(rules, { generation: 1 }),
      behind("canonical is at S1, this Candidate was made on S0")
    ],
    [
      "canonical has another tree",
      stored(rules, { tree: objectId(9) }),
      behind(`canonical S0 has the tree ${objectId(9)}, this Candidate was made on the tree ${objectId(1)}`)
    ]
  ])

const mutations: ReadonlyArray<Mutation> = [
  {
    bug: "the generation is not compared",
    find: "candidate.baseGeneration !== head.generation || candidate",
    put: "candidate"
  },
  { bug: "the tree is not compared", find: " || candidate.baseTree !== head.tree", put: "" },
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
