import { slice } from "@pawl/testing/Depth"
import { findingCodes } from "@pawl/core/proof/Findings"
import { breakHistory, handOverLog, restoreHistory } from "@pawl/testing/provenance/LogThefts"
import type { Pack } from "@pawl/testing/provenance/Packs"
import { waitingRow } from "@pawl/testing/provenance/RowThefts"
import type { Scene } from "@pawl/testing/provenance/Scenes"
import { tamperings } from "@pawl/testing/provenance/Tamperings"
import { describe, expect, it } from "vitest"
import { endFolder, found, foundByPython, packFolder, type SceneName } from "./PackScenes.ts"

const codeOf = (finding: string): string => finding.split(" ", 1)[0] ?? ""

describe("a pack as it was made", () => {
  it.each<SceneName>(["good", "adopted", "restored"])("has no findings: %s", async (name) => {
    const folder = await packFolder(name)
    expect(await found(folder)).toEqual([])
    expect(await foundByPython(folder)).toEqual({ findings: [], exitCode: 0, problem: "" })
    endFolder(folder)
  })
})

/** What happens to a history of keys, and is no tampering. */
const histories = {
  "a key of the log handed over: who trusts one trusts the next": handOverLog,
  "a break, where the new key is trusted too": (pack: Pack, scene: Scene) =>
    void pack.trust.keys.push(breakHistory(pack, scene).keyid),
  "a mark of another beside the log's own, by a name that looks like two lines": (pack: Pack) =>
    void (pack.checkpoint += "— wit\u2028ness AAAA\n"),
  "a new epoch that says what is lost": (pack: Pack, scene: Scene) => restoreHistory(pack, scene)
}

describe("a history of keys", () => {
  it.each(Object.entries(histories))("has no findings after %s", async (_name, change) => {
    const folder = await packFolder("good", { change })
    expect(await found(folder)).toEqual([])
    expect(await foundByPython(folder)).toEqual({ findings: [], exitCode: 0, problem: "" })
    endFolder(folder)
  })
})

describe("a row of a host", () => {
  it("carries no envelope while its release waits for its signature, and that is no finding", async () => {
    const folder = await packFolder("good", { change: waitingRow })
    expect(await found(folder)).toEqual([])
    expect(await foundByPython(folder)).toEqual({ findings: [], exitCode: 0, problem: "" })
    endFolder(folder)
  })
})

describe("every tampering is named by its code", () => {
  it("there are 58, nine more, and those that were found since, each with a number of its own", () => {
    const numbers = tamperings.map(({ number }) => number)
    expect(numbers.slice(0, 67)).toEqual(Array.from({ length: 67 }, (_, index) => index + 1))
    expect(numbers.toSorted((one, other) => one - other)).toEqual(numbers.map((_, index) => index + 1))
  })

  it("every code has a tampering", () => {
    const tried = new Set(tamperings.map(({ code }) => code))
    expect(findingCodes.filter((code) => !tried.has(code))).toEqual([])
  })

  it.each(slice(tamperings, { quick: 12 }))(
    "by the product and by verify.py, which find the same: $number $name is $code",
    async (tampering) => {
      const folder = await packFolder(tampering.to ?? "good", tampering)
      const [byProduct, { exitCode, findings, problem }] = await Promise.all([found(folder), foundByPython(folder)])
      expect(byProduct.map(codeOf)).toContain(tampering.code)
      expect(findings).toEqual(byProduct)
      expect({ exitCode, problem }).toEqual({ exitCode: tampering.code === "pack_unreadable" ? 2 : 1, problem: "" })
      endFolder(folder)
    }
  )
})
