import { Entities, type Kind, kinds } from "@pawl/core/model/Entities"
import { describe, expect, it } from "vitest"
import { isDirectorys, isInDirectory, isReserved, mirroredKinds } from "@pawl/adapters-cloudflare/directory/Scopes"

/** A kind whose records belong to no Project says so without looking at one. */
const looksAtNone = (kind: Kind): boolean => (Entities[kind].project as (...args: never) => unknown).length === 0

describe("The scope of a record", () => {
  it("is the directory for exactly the kinds that belong to no Project", () => {
    expect(kinds.filter(isDirectorys)).toEqual(kinds.filter(looksAtNone))
  })

  it("is the directory for the instance's chain, and the Project for a Project's", () => {
    for (const kind of ["statement", "chain", "chainLog"] as const) {
      expect([isInDirectory(kind, "instance"), isInDirectory(kind, "instance/3")]).toEqual([true, true])
      expect([isInDirectory(kind, "proj_1"), isInDirectory(kind, "proj_1/3")]).toEqual([false, false])
      expect(isInDirectory(kind, "instances/3")).toBe(false)
    }
    expect(isInDirectory("change", "instance")).toBe(false)
  })

  it("is the Project for all that is reserved or copied", () => {
    for (const kind of kinds.filter((each) => isReserved(each) || mirroredKinds.includes(each)))
      expect([kind, isDirectorys(kind)]).toEqual([kind, false])
  })
})
