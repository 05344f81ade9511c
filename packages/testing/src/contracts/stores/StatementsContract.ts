/** What every store promises of chains of statements: what was signed is given back byte for byte, and a chain never forks. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { system } from "@pawl/core/model/Actor"
import { sha256AtOnce } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { type Commit, insert, update } from "@pawl/core/ledger/Commit"
import * as Draft from "@pawl/core/ledger/Draft"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { aboutOf, type ChainId, type Statement, statementKey } from "@pawl/core/model/Statement"
import { chainOf, newestAbout } from "@pawl/core/provenance/Chains"
import { append, emptyChain, type Fact } from "@pawl/core/provenance/Statements"
import {
  claim,
  commit,
  failure,
  onStore,
  projectId,
  stored,
  type StoreFixture,
  time
} from "../../tools/StoreFixtures.ts"

const signature = { keyid: `SHA256:${"A".repeat(43)}`, sig: "MEUCIQ==" }

/** A fact of a generation. What stands in it is what JSON, SQL and UTF-8 have their difficulties with. */
const factOf = (generation: number, length = 1): Fact<"outcome"> => ({
  kind: "outcome",
  generation,
  subject: [{ name: `'a"\\\u0000\u007f\u{1F9C0} ${"ä".repeat(length)}`, digest: { sha256: "0".repeat(64) } }],
  facts: { generation, channel: "production", outcome: "deployed", release: null, probes: null }
})

const begin = (project = projectId()) => commit({ writes: [insert("chain", emptyChain(project, time))] })

/** The commit that appends facts to a chain, as it stands now. */
const appending = (...facts: ReadonlyArray<Fact>) =>
  Effect.gen(function* () {
    const draft = Draft.begin(projectId(), system("test"), time)
    append(draft, yield* stored("chain", projectId()), ...facts)
    return Draft.end(draft, { name: "Test.append" })
  })

const committing = (made: Commit) => Effect.flatMap(Ledger, (ledger) => ledger.commit(made))
const state = (...facts: ReadonlyArray<Fact>) => Effect.flatMap(appending(...facts), committing)
const statement = (entry: number, of: ChainId = projectId()) => stored("statement", statementKey(of, entry))

/** Declares the suite. Each of its tests has a store of its own. */
export const statementsContract = (name: string, fixture: StoreFixture) => {
  const promise = (title: string, body: Parameters<typeof onStore<void, unknown>>[1]) =>
    it(title, () => onStore(fixture, body))

  describe(`${name}: statements`, () => {
    promise(
      "gives back what is signed byte for byte, the largest too, and after its signature was added",
      Effect.gen(function* () {
        yield* begin()
        const most = Math.floor(Limits.statementBytes / 2) - 400
        const made = yield* appending(factOf(1), factOf(2, most))
        yield* committing(made)
        const written = (made.writes ?? []).flatMap((each) =>
          each._tag === "Insert" && each.kind === "statement" ? [each.record as Statement] : []
        )
        expect(written).toHaveLength(2)
        for (const [entry, record] of written.entries()) {
          const before = yield* statement(entry)
          expect(before.record).toEqual(record)
          yield* commit({ writes: [update("statement", before, { signature })] })
          const after = (yield* statement(entry)).record
          expect(after).toEqual({ ...record, signature })
          expect(sha256AtOnce(new TextEncoder().encode(after.payload))).toBe(record.digest)
        }
      })
    )

    promise(
      "lets one of two append that have read the same end, and sends one command for both",
      Effect.gen(function* () {
        yield* begin()
        const [first, second] = [yield* appending(factOf(1)), yield* appending(factOf(2))]
        yield* committing(first)
        expect(yield* failure(committing(second))).toMatchObject({ _tag: "Conflict" })
        yield* state(factOf(2))
        const chain = (yield* stored("chain", projectId())).record
        const [zero, one] = [(yield* statement(0)).record, (yield* statement(1)).record]
        expect([zero.generation, one.generation, chain.size, chain.digest]).toEqual([1, 2, 2, one.digest])
        expect(JSON.parse(one.payload).predicate.previous).toEqual({ sha256: zero.digest })
        const due = (yield* claim(2)).map(({ command: { kind, payload } }) => [kind, payload])
        expect(due).toEqual([["statement.sign", { chain: projectId() }]])
      })
    )

    promise(
      "finds the newest about a generation, of its chain and kind alone, and nothing where none is",
      Effect.gen(function* () {
        yield* begin()
        for (const generation of [1, 2, 1, 10]) yield* state(factOf(generation))
        const entries = yield* Effect.forEach([1, 2, 10, 0], (generation) =>
          Effect.map(newestAbout(projectId(), "outcome", generation), (found) => found?.record.entry ?? null)
        )
        expect(entries).toEqual([2, 1, 3, null])
        expect(yield* newestAbout(projectId(), "release", 1)).toBeNull()
        expect(yield* newestAbout(projectId(2), "outcome", 1)).toBeNull()
        const about = aboutOf(projectId(), "outcome", 1)
        const page = yield* (yield* Records).list("statement", { where: { about }, limit: "all" })
        expect(page.items.map(({ record }) => record.entry)).toEqual([0, 2])
      })
    )

    promise(
      "keeps the instance's chain apart from those of Projects, and what one has unsigned from another's",
      Effect.gen(function* () {
        yield* begin()
        yield* state(factOf(1))
        const own = { ...(yield* statement(0)).record, chain: "instance" as const, signature }
        yield* commit({
          projectId: null,
          writes: [insert("chain", { ...emptyChain("instance", time), size: 1 }), insert("statement", own)]
        })
        expect((yield* statement(0)).record.signature).toBeNull()
        expect((yield* statement(0, "instance")).record).toEqual(own)
        expect((yield* chainOf(projectId()))?.record.size).toBe(1)
        expect(yield* chainOf(projectId(2))).toBeNull()
      })
    )
  })
}
