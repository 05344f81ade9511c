import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { beginEpochs } from "@pawl/core/provenance/Epochs"
import { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { vouchedFor } from "@pawl/server/node/commands/HeldCheckpoints"
import { another, begin, chain, log, run, settled, state } from "../../../../core/test/provenance/SigningWorld.ts"

/** The newest checkpoint of a chain, over `more` more statements. */
const noted = (more: number, of: typeof chain | typeof another = chain) =>
  Effect.gen(function* () {
    yield* state(more, of)
    yield* TestClock.adjust("10 seconds")
    yield* settled
    return (yield* log(of)).checkpoint ?? ""
  })

const refused = (text: string) => Effect.map(Effect.flip(vouchedFor(text)), (problem) => String(problem))

describe("Checkpoints that somebody held before a key was stolen", () => {
  it("vouch for as much of each chain as the longest of them covers, whatever stands between them", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* begin(another)
        const short = yield* noted(2)
        const long = yield* noted(3)
        const other = yield* noted(1, another)
        const mail = `From: somebody\n\n${long}\nand\n\n${short}\n${other}\n`
        expect([...(yield* vouchedFor(mail))]).toEqual([
          [chain, 5],
          [another, 1]
        ])
      })
    ))

  it("of before a restored backup vouch for what still stands", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        const before = yield* noted(2)
        yield* (yield* SignedHeads).set(`localhost/log/${chain}`, { size: 5, root: "A".repeat(43) + "=" })
        expect(yield* beginEpochs).toHaveLength(1)
        const after = yield* noted(1)
        expect(after).toContain(`localhost/log/${chain}/2\n4\n`)
        expect([...(yield* vouchedFor(before))]).toEqual([[chain, 2]])
        expect([...(yield* vouchedFor(`${before}\n${after}`))]).toEqual([[chain, 4]])
      })
    ))

  it("vouch for nothing where one is of something else, or signed by nobody who may", () =>
    run(
      Effect.gen(function* () {
        yield* begin()
        yield* begin(another)
        const good = yield* noted(2)
        const other = yield* noted(2, another)
        const [, , root = ""] = good.split("\n")
        const [, , elsewhere = ""] = other.split("\n")
        expect(root).not.toBe(elsewhere)
        const swapped = good.replace(root, elsewhere)
        expect(yield* refused(`${other}\n${swapped}`)).toContain("is none of this instance's")
        expect(yield* refused(good.replaceAll(`localhost/log/${chain}`, "elsewhere/log/x"))).toContain("is none of")
        expect(yield* refused("nothing of that kind\n")).toContain("the file holds no checkpoint")
      })
    ))
})
