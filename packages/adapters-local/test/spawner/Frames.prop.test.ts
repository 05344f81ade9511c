import { PassThrough } from "node:stream"
import { setImmediate as turn } from "node:timers/promises"
import { serialize } from "node:v8"
import { describe, expect, it } from "vitest"
import fc from "fast-check"
import { rounds, seed } from "@pawl/testing/Depth"
import { hearFrames, sendFrame } from "../../src/spawner/Frames.ts"

const message = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.uint8Array({ maxLength: 70_000 }).map((bytes) => ({ _tag: "Bytes", bytes })),
  fc.array(fc.tuple(fc.string(), fc.uint8Array({ maxLength: 50 }))).map((all) => new Map(all)),
  fc.constant(undefined)
)

const written = (messages: ReadonlyArray<unknown>): Buffer => {
  const stream = new PassThrough({ highWaterMark: 2 ** 30 })
  for (const each of messages) sendFrame(stream, each)
  return (stream.read() as Buffer | null) ?? Buffer.alloc(0)
}

const heardOf = async (pieces: ReadonlyArray<Buffer>, maxBytes = Infinity) => {
  const stream = new PassThrough()
  const heard: Array<unknown> = []
  let broken = 0
  hearFrames(
    stream,
    maxBytes,
    (each) => heard.push(each),
    () => broken++
  )
  for (const piece of pieces) {
    stream.write(piece)
    await turn()
  }
  return { heard, broken }
}

const cut = (bytes: Buffer, at: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const places = [0, ...at.map((each) => each % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((to, index) => bytes.subarray(places[index], to))
}

describe("Messages in frames", () => {
  it("come as they were sent, in their order, wherever the bytes are cut", () =>
    fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 12 }), async (all, at) => {
        expect(await heardOf(cut(written(all), at))).toEqual({ heard: all, broken: 0 })
      }),
      { seed, numRuns: rounds({ quick: 60, deep: 600 }) }
    ))

  it("are heard no more after one that is longer than may be, or that is none, and that is told once", async () => {
    const long = written([{ text: "x".repeat(2000) }, "behind"])
    expect(await heardOf([written(["before"]), long, written(["later"])], 1000)).toEqual({
      heard: ["before"],
      broken: 1
    })
    const none = Buffer.from([3, 0, 0, 0, 1, 2, 3])
    expect(await heardOf([written(["before"]), none, written(["later"])])).toEqual({ heard: ["before"], broken: 1 })
    // As long as may be is no longer.
    const just = serialize("just").length
    expect(await heardOf([written(["just"])], just)).toEqual({ heard: ["just"], broken: 0 })
    expect(await heardOf([written(["just"])], just - 1)).toEqual({ heard: [], broken: 1 })
  })
})
