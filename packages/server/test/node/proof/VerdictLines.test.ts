import type { Finding, FindingCode } from "@pawl/core/proof/Findings"
import { verify } from "@pawl/core/proof/Proofs"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { readPack } from "../../../src/node/proof/PackFolder.ts"
import { unsignedSummary } from "../../../src/node/proof/UnsignedSummary.ts"
import { findingsOf } from "../../../src/node/proof/VerdictLines.ts"
import { endFolder, packFolder } from "./PackScenes.ts"

const generation = 5

/** What is told of that generation, in a good pack. */
const told = async () => {
  const folder = await packFolder("good")
  const read = await Effect.runPromise(Effect.scoped(readPack(folder)))
  const verdict = await Effect.runPromise(verify(read.material, read.trust, { generation }))
  return { folder, ...read, verdict }
}

const finding = (where: string, code: FindingCode = "signature_invalid"): Finding => ({ where, code, words: "" })

describe("A generation that is judged alone", () => {
  it("is touched by what it stands on, and by nothing of others", async () => {
    const { folder, verdict } = await told()
    const end = verdict.told.at(-1)?.entry ?? 0
    const touched = (one: Finding, more = 0) => findingsOf({ ...verdict, findings: [one], more }, generation).length
    const stands = [
      finding("entry 0", "record_mismatch"),
      finding(`entry ${end - 3} (S5)`),
      finding("entry 3 (S1)", "chain_gap"),
      finding("entry 3 (S1)", "chain_broken"),
      finding(`entry ${end + 9} (S5)`),
      finding("key 0", "key_unknown"),
      finding("checkpoint", "checkpoint_signature"),
      finding("seen key checkpoint", "history_rewritten"),
      finding("repo.git", "pack_unreadable")
    ]
    expect(stands.map((each) => touched(each))).toEqual(stands.map(() => 1))
    const away = [
      finding("entry 3 (S1)"),
      finding("entry 3 (S1)", "record_missing"),
      finding(`entry ${end + 1}`),
      finding(`entry ${end + 1} (S6)`, "chain_gap"),
      finding("live", "live_mismatch"),
      finding("main", "main_mismatch")
    ]
    expect(away.map((each) => touched(each))).toEqual(away.map(() => 0))
    // Of more than are kept nobody knows which they are.
    expect(touched(finding("entry 3 (S1)"), 1)).toBe(1)
    endFolder(folder)
  })

  it("is summed up with the level of its Policy as it was stated, and with the lower one where that is another", async () => {
    const { folder, material, verdict } = await told()
    const good = { project: "proj", verdict, findings: [], remarks: [], isOld: false }
    const levels = async (record: typeof material.record) =>
      (await Effect.runPromise(unsignedSummary({ ...material, record }, good)))?.match(/SLSA_SOURCE_LEVEL_[0-9]/)?.[0]
    expect(await levels(material.record)).toBe("SLSA_SOURCE_LEVEL_4")
    const spaced: typeof material.record = (kind, id) =>
      Effect.map(material.record!(kind, id), (text) => text?.replace("{", "{ ") ?? null)
    expect(await levels(spaced)).toBe("SLSA_SOURCE_LEVEL_3")
    expect(await levels(null)).toBe("SLSA_SOURCE_LEVEL_3")
    expect(await Effect.runPromise(unsignedSummary(material, { ...good, isOld: true }))).toBeNull()
    endFolder(folder)
  })
})
