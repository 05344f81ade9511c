import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

/** The voice of a page that was just opened, by a clock of the test's own. */
const opened = async () => {
  vi.resetModules()
  const { announce, lastAnnouncement, watchAnnouncements } = await import("../../src/shell/Announcements.ts")
  const heard: Array<readonly [atMs: number, sentence: string]> = []
  const begin = performance.now()
  const end = watchAnnouncements(() => heard.push([performance.now() - begin, lastAnnouncement()]))
  return { announce, end, heard }
}

describe("What screen readers are told", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("is said at once, and then one sentence in 2 seconds at most, however many there are", async () => {
    const { announce, heard } = await opened()
    for (let at = 0; at < 5000; at += 100) {
      announce(`sentence ${at}`)
      vi.advanceTimersByTime(100)
    }
    vi.advanceTimersByTime(10_000)
    expect(heard.map(([at]) => at)).toEqual([0, 2000, 4000, 6000])
  })

  it("is the last of those that wait, and none of those that it overtook", async () => {
    const { announce, heard } = await opened()
    for (const sentence of ["Copied", "Sent", "Checked", "Approved"]) announce(sentence)
    vi.advanceTimersByTime(10_000)
    expect(heard).toEqual([
      [0, "Copied"],
      [2000, "Approved"]
    ])
    announce("Promoted")
    expect(heard.at(-1)).toEqual([10_000, "Promoted"])
  })

  it("is told to nobody who does not listen any more", async () => {
    const { announce, end, heard } = await opened()
    end()
    announce("Copied")
    expect(heard).toEqual([])
  })
})
