/** What every harness of an agent promises of edits: each lands exactly, or is refused with the reason and changes nothing. */
import { describe, expect, it } from "vitest"
import { type EditScene, editScenes, type SceneCall } from "../../scenes/EditScenes.ts"

/** What calls came to. */
export interface CarriedOut {
  /** The bytes of all files afterwards, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>
  /** What each call told, in their order. */
  readonly results: ReadonlyArray<{ readonly text: string; readonly failed: boolean }>
}

/** How a harness takes part. */
export interface EditScenesFixture {
  /** Whether it looks at the syntax of TypeScript and JavaScript; scenes that take this are left out else. */
  readonly parser: boolean
  /** Carries out calls of `read`, `edit`, `write` and `remove`, one after the other, on files that nothing was read of. */
  readonly carryOut: (input: EditScene["input"], calls: ReadonlyArray<SceneCall>) => Promise<CarriedOut>
}

const decoder = new TextDecoder()
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes)
const shown = (files: EditScene["input"], form: (bytes: Uint8Array) => string) =>
  Object.fromEntries(Array.from(files, ([path, bytes]) => [path, form(bytes)]))

/** Declares the suite; `name` names the harness in its title. */
export const editScenesContract = (name: string, { carryOut, parser }: EditScenesFixture): void => {
  const scenes = editScenes().filter((scene) => parser || !scene.parser)

  describe(`${name}: edits`, () => {
    it("have scenes", () => expect(scenes.length).toBeGreaterThanOrEqual(40))

    it.each(scenes.map((scene) => [scene.name, scene] as const))("%s", async (_, { calls, expected, input }) => {
      const { files, results } = await carryOut(input, calls)
      expect(results.length).toBe(calls.length)
      for (const [at, { refused }] of calls.entries()) {
        const result = results[at]
        if (refused === undefined)
          expect([at, result?.failed, result?.failed === true ? result.text : ""]).toEqual([at, false, ""])
        else expect([at, result?.failed, result?.text]).toEqual([at, true, expect.stringContaining(refused)])
      }
      // Texts would hide a byte order mark and what is no UTF-8, but say more to whoever reads a failure.
      expect(shown(files, textOf)).toEqual(shown(expected, textOf))
      expect(shown(files, (bytes) => bytes.join(" "))).toEqual(shown(expected, (bytes) => bytes.join(" ")))
    })
  })
}
