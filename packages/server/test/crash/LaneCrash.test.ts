/** The server is killed with SIGKILL before and after every write of a lane of three, and started again on its folder. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { crashAtEach, placesOf, record, type Recording, removeFolders } from "./Crashing.ts"
import { type Client, laneStory, type Prepared, someOf } from "./LaneStory.ts"

describe("A lane of three whose server is killed at any write, and started again", () => {
  let recording: Recording<Prepared, Client>
  beforeAll(async () => {
    recording = await record(await laneStory())
  })
  afterAll(removeFolders)

  it("records a place before and after each of its writes", () => {
    const names = placesOf(recording).map(({ name }) => name)
    console.log(`${names.length} crash points:\n${names.join("\n")}`)
    for (const step of ["enter", "compose", "doubt", "reject", "refute", "steps"])
      expect(names.join("\n")).toContain(`Ledger.commit(Lane.${step}`)
    expect(names.join("\n")).toContain("Ledger.commit(Promotions.swap")
  })

  it("goes on, and loses nothing that was acknowledged", async () => {
    expect(await crashAtEach(recording, someOf(recording, { quick: 3, deep: 24, long: 10_000 }))).toEqual([])
  }, 3_600_000)
})
