/** The process that makes a lock. What comes of an order is tried without one, in the other files of this folder. */
import { utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { registryOf } from "./Documents.ts"
import { documents, lock, lockByProcess, needs, nowhere, problemsOf, text, within } from "./LockKit.ts"

describe("A process for each lock", () => {
  it("makes what is made without it, asking and offline", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const order = { manifest: needs({ a: "^1.0.0", optional: "1" }) }
        const made = yield* lockByProcess(url, order)
        expect(text(made)).toBe(text(yield* lock(url, order)))
        const again = { manifest: needs({ a: "1.1.0", optional: "1" }), locks: [made], offline: true }
        expect(text(yield* lockByProcess(nowhere, again))).toBe(text(yield* lock(nowhere, again)))
      })
    ))

  it("refuses what is refused without it", () =>
    within(({ url }) =>
      Effect.gen(function* () {
        const order = { manifest: needs({ gits: "1" }) }
        const problems = yield* problemsOf(url, order, lockByProcess)
        expect(problems).toEqual([expect.stringMatching(/^package_source.*far/)])
        expect(problems).toEqual(yield* problemsOf(url, order))
      })
    ))

  it.each<readonly [what: string, manifest: Uint8Array, problem: RegExp]>([
    ["a giant", utf8(" ".repeat(2 * 1024 * 1024)), /^manifest_unreadable.*longer/],
    ["a package for real login", needs({ passport: "1" }), /^auth_package.*passport/]
  ])("is not begun for a package.json with %s, which is refused in words", (_, manifest, problem) =>
    within(({ asked, url }) =>
      Effect.map(problemsOf(url, { manifest }, lockByProcess), (problems) => {
        expect(problems).toEqual([expect.stringMatching(problem)])
        expect(asked).toEqual([])
      })
    )
  )
})

describe("A registry", () => {
  it("that is away makes locks wait", async () => {
    const error = await Effect.runPromise(Effect.flip(lockByProcess(nowhere, { manifest: needs({ a: "1" }) })))
    expect(error).toMatchObject({ _tag: "PackagesUnavailable", reason: expect.stringContaining(nowhere) })
  })

  it("that hangs is left when nobody waits for the lock any more", async () => {
    const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hang: Parameters<typeof registryOf>[1] = (_, response) => {
      response.once("close", () => left.resolve())
      begun.resolve()
      return true
    }
    await within(
      ({ url }) =>
        Effect.gen(function* () {
          yield* Effect.raceFirst(
            lockByProcess(url, { manifest: needs({ a: "1" }) }),
            Effect.promise(() => begun.promise)
          )
          yield* Effect.promise(() => left.promise)
        }),
      documents,
      hang
    )
  })
})
