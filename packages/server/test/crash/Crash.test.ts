/**
 * The process is killed with SIGKILL at every place of compose, verify, promote and release, and started again on the same
 * folder. The list of places is recorded from a run of the real server, so none is forgotten.
 */
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { crashAtEach, type Place, placesOf, record, type Recording, removeFolders } from "./Crashing.ts"
import { type Client, firstPath, type Prepared } from "./FirstPath.ts"

let recording: Recording<Prepared, Client>
let places: ReadonlyArray<Place>
beforeAll(async () => {
  recording = await record(await firstPath())
  places = placesOf(recording)
})
afterAll(removeFolders)

/** Those of a stage: a place is tried in the one in which it is passed first. */
const placesIn = (wanted: number): ReadonlyArray<Place> => places.filter(({ stage }) => stage === wanted)

describe("Killed at any named place and started again", () => {
  it("records places in each of compose, verify, promote and release", () => {
    const names = places.map(({ name, stage }) => `${stage} ${name}`).join("\n")
    console.log(`${places.length} crash points:\n${names}`)
    for (const name of [
      "0 Ledger.commit(Composing.composed",
      "0 Ledger.commit(Verification.evidence",
      "0 Ledger.commit(Verification.gate",
      "1 Ledger.commit(Promotions.request",
      "1 Ledger.commit(Promotions.swap",
      "1 Ledger.commit(SourceSync.synced",
      "1 Ledger.commit(Releases.start",
      "1 Ledger.commit(Releases.authorize",
      "1 Ledger.commit(Releases.move",
      "1 Ledger.commit(Releases.probesPassed"
    ])
      expect(names).toContain(name)
    expect(places.filter(({ stage }) => stage > 1)).toEqual([])
  })

  it("ends the work as if nothing had happened, at every place", async () => {
    expect(await crashAtEach(recording, slice(placesIn(0), { quick: 2 }))).toEqual([])
  }, 900_000)
})

describe("Killed at any named place of promote and release, and started again", () => {
  it("ends the work as if nothing had happened, at every place", async () => {
    expect(placesIn(1).length).toBeGreaterThan(10)
    // Between what a release states and the move of its pointer nothing may be stated twice: these two are always tried.
    const stating = placesIn(1).filter(({ name }) => name.startsWith("Ledger.commit(Releases.authorize"))
    expect(stating).toHaveLength(2)
    expect(await crashAtEach(recording, stating)).toEqual([])
    expect(await crashAtEach(recording, slice(placesIn(1), { quick: 1 }))).toEqual([])
  }, 900_000)
})
