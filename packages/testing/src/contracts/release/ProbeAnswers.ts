/** What whoever asks for probes promises: the answer as it was given, or a typed gap, never a pass in between. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import type { ProbeAnswer, ProbeUnanswered } from "@pawl/core/release/ProbeClient"

const answer = (status: number, contentType: string | null, body: Uint8Array): ProbeAnswer => ({
  status,
  contentType,
  body
})

/** Asks for one path of what answers. */
export type Get = (path: string, timeoutMs?: number) => Effect.Effect<ProbeAnswer, ProbeUnanswered>

/** `run` has these paths answered, hangs on every other, and runs what asks for them. */
export const probeAnswers = (
  run: (
    answers: Readonly<Record<string, ProbeAnswer>>,
    use: (get: Get) => Effect.Effect<void, ProbeUnanswered>
  ) => Promise<void>
): void => {
  it("answers status, type and bytes as the app said them, good or bad", () => {
    const answers = {
      "/": answer(200, "text/html; charset=utf-8", utf8("<p>ü</p>")),
      "/api?a=b&c=%20d": answer(200, "application/json", utf8("{}")),
      "/bytes": answer(200, null, Uint8Array.from([0, 255, 128])),
      "/gone": answer(410, "text/plain", utf8("gone")),
      "/broken": answer(500, "text/plain", new Uint8Array())
    }
    return run(answers, (get) =>
      Effect.forEach(
        Object.entries(answers),
        ([path, expected]) =>
          Effect.map(get(path), (got) =>
            expect({ ...got, body: [...got.body] }).toEqual({ ...expected, body: [...expected.body] })
          ),
        { discard: true }
      )
    )
  })

  it("follows no redirect", () =>
    run({ "/old": answer(302, null, new Uint8Array()), "/new": answer(200, null, utf8("new")) }, (get) =>
      Effect.map(get("/old"), ({ status }) => expect(status).toBe(302))
    ))

  it("takes only the beginning of a body that is too long", () =>
    run({ "/long": answer(200, null, new Uint8Array(Limits.probeBodyBytes + 1000).fill(7)) }, (get) =>
      Effect.map(get("/long"), ({ body, status }) => {
        expect(status).toBe(200)
        expect(body.length).toBe(Limits.probeBodyBytes)
        expect(body.every((byte) => byte === 7)).toBe(true)
      })
    ))

  it("says ProbeUnanswered with the path where no response comes in time, and answers the next probe", () =>
    run({ "/": answer(200, null, utf8("up")) }, (get) =>
      Effect.gen(function* () {
        const gap = yield* Effect.flip(Effect.asVoid(get("/silent?x", 50)))
        expect(gap).toMatchObject({ _tag: "ProbeUnanswered", path: "/silent?x" })
        expect((yield* get("/")).status).toBe(200)
      }).pipe(Effect.orDie)
    ))
}
