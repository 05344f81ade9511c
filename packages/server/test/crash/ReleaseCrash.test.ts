/** As `Crash.test.ts`, at every place of promote and release. */
import { slice } from "@pawl/testing/Depth"
import { afterAll, describe, expect, it } from "vitest"
import { crashAtEach, placesOf, record, removeFolders } from "./Crashing.ts"
import { firstPath } from "./FirstPath.ts"

describe("Killed at any named place of promote and release, and started again", () => {
  afterAll(removeFolders)

  it("ends the work as if nothing had happened, at every place", async () => {
    const recording = await record(await firstPath())
    const own = placesOf(recording).filter(({ stage }) => stage === 1)
    expect(own.length).toBeGreaterThan(10)
    expect(await crashAtEach(recording, slice(own, { quick: 2 }))).toEqual([])
  }, 900_000)
})
