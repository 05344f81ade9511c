/** What Templates promise: every template is a source that a Project can begin with, the same each time. */
import { Effect, type Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { Limits } from "@pawl/core/primitives/Limits"
import { applyEdits } from "@pawl/core/project/Edits"
import { parsePawlFile } from "@pawl/core/project/PawlFile"
import { TemplateName, Templates } from "@pawl/core/project/Templates"

/** Declares the suite; `name` names the adapter in its title. */
export const templatesContract = (name: string, fixture: { readonly layer: Layer.Layer<Templates> }): void => {
  const filesOf = (template: TemplateName) => Effect.flatMap(Templates, (templates) => templates.files(template))
  const run = <E>(body: Effect.Effect<void, E, Templates>) => Effect.runPromise(Effect.provide(body, fixture.layer))

  describe.each(TemplateName.literals)(`${name}: Templates: %s`, (template) => {
    it("is a source that is accepted: files alone, none deleted, within every bound", () =>
      run(
        Effect.gen(function* () {
          const files = yield* filesOf(template)
          expect(Object.keys(files).length).toBeGreaterThan(0)
          expect(Object.values(files)).not.toContain(null)
          const tree = yield* Effect.fromResult(
            applyEdits<{ readonly size: number }>(new Map(), files, (bytes) => ({ size: bytes.length }))
          )
          expect([...tree.keys()].toSorted()).toEqual(Object.keys(files).toSorted())
          expect(JSON.stringify(files).length).toBeLessThan(Limits.sourceBodyBytes)
        })
      ))

    it("has a pawl.json that is understood, where it has one", () =>
      run(
        Effect.map(filesOf(template), (files) => {
          const pawl = files["pawl.json"]
          if (pawl !== undefined) expect(typeof pawl === "string" && Result.isSuccess(parsePawlFile(pawl))).toBe(true)
        })
      ))

    it("lists its files in path order, the same each time it is asked", () =>
      run(
        Effect.gen(function* () {
          const files = yield* filesOf(template)
          expect(Object.keys(files)).toEqual(Object.keys(files).toSorted(compareCodePoints))
          const again = yield* filesOf(template)
          expect(Object.entries(again)).toEqual(Object.entries(files))
        })
      ))
  })
}
