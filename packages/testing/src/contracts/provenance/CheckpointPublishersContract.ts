/** What every CheckpointPublisher promises: the newest checkpoint and the keys where others take them, at any repetition. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { ChainId } from "@pawl/core/model/Statement"
import type { ProjectId } from "@pawl/core/primitives/Ids"
import type { CheckpointPublisher, Publication } from "@pawl/core/provenance/CheckpointPublisher"

/** What stands there for others. `statements` is null where a publisher publishes none. */
export interface Published {
  readonly checkpoint: string | null
  readonly keys: string
  readonly statements: ReadonlyArray<string> | null
  /** The checkpoint over the keys. */
  readonly keysCheckpoint: string | null
}

/** One publisher for a Project of its own, and what others see of it. */
export interface PublisherFixture {
  readonly publisher: CheckpointPublisher
  readonly project: ProjectId
  readonly read: Effect.Effect<Published>
}

/** Declares the suite; `name` names the adapter in its title. */
export const checkpointPublishersContract = (name: string, fixture: Effect.Effect<PublisherFixture>): void => {
  const batch = (chain: ChainId, from: number, count: number, last: boolean): Omit<Publication, "mark"> => ({
    chain,
    from,
    envelopes: Array.from({ length: count }, (_, at) => JSON.stringify({ payload: `${from + at}` })),
    keys: [`{"payload":"key of ${from}"}`],
    keysCheckpoint: `localhost/log/instance\n${from}\nroot\n\n— signature\n`,
    checkpoint: last ? `localhost/log/${chain}\n${from + count}\nroot\n\n— signature\n` : null,
    at: "2026-01-01T12:00:00.000Z"
  })
  const run = (body: (made: PublisherFixture) => Effect.Effect<void, unknown>) =>
    Effect.runPromise(Effect.flatMap(fixture, body))

  describe(`${name}: CheckpointPublisher`, () => {
    it("shows the newest checkpoint, the keys, and every statement in order", () =>
      run(({ project, publisher, read }) =>
        Effect.gen(function* () {
          const first = yield* publisher.publish({ ...batch(project, 0, 3, true), mark: null })
          expect(first).not.toBeNull()
          const second = yield* publisher.publish({ ...batch(project, 3, 1000, false), mark: first })
          expect((yield* read).checkpoint).toBe(batch(project, 0, 3, true).checkpoint)
          yield* publisher.publish({ ...batch(project, 1003, 2, true), mark: second })
          const found = yield* read
          expect(found.checkpoint).toBe(batch(project, 1003, 2, true).checkpoint)
          expect(found.keys).toBe(`{"payload":"key of 1003"}\n`)
          if (found.statements !== null)
            expect(found.statements.map((each) => JSON.parse(each).payload)).toEqual(
              Array.from({ length: 1005 }, (_, entry) => `${entry}`)
            )
        })
      ))

    it("shows the newest checkpoint over the keys, whether it comes by itself or with a Project's", () =>
      run(({ project, publisher, read }) =>
        Effect.gen(function* () {
          const note = "localhost/log/instance\n7\nroot\n\n— signature\n"
          const own = { ...batch("instance", 0, 7, true), keysCheckpoint: note, checkpoint: note }
          yield* publisher.publish({ ...own, mark: null })
          yield* publisher.publish({ ...batch(project, 0, 3, true), keysCheckpoint: note, mark: null })
          const found = yield* read
          expect([found.keysCheckpoint, found.checkpoint]).toEqual([note, batch(project, 0, 3, true).checkpoint])
        })
      ))

    it("publishes the same once more, where its answer was lost", () =>
      run(({ project, publisher, read }) =>
        Effect.gen(function* () {
          const first = yield* publisher.publish({ ...batch(project, 0, 3, true), mark: null })
          const again = { ...batch(project, 3, 2, true), mark: first }
          yield* publisher.publish(again)
          const before = yield* read
          yield* publisher.publish(again)
          expect(yield* read).toEqual(before)
        })
      ))
  })
}
