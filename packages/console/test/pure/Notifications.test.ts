import { describe, expect, it } from "vitest"
import type { InboxItem } from "../../src/inbox/InboxItems.ts"
import { keysOf, newsIn } from "../../src/notification/Told.ts"

const item = (key: string): InboxItem => ({
  key,
  status: "awaiting_approval",
  title: "A goal",
  why: "Look at it.",
  to: "/changes/chg_1",
  label: "shop",
  at: "2026-03-01T12:00:00.000Z"
})

describe("What is told of the Inbox", () => {
  it("is each thing once, and again when it was done and came again", () => {
    const [a, b] = [item("approval a"), item("approval b")]
    expect(newsIn([a, b], keysOf([a]))).toEqual([b])
    expect(newsIn([a, b], keysOf([a, b]))).toEqual([])
    expect(newsIn([a], keysOf([b]))).toEqual([a])
  })

  it("is nothing of what waited before anybody asked to be told", () => {
    expect(newsIn([item("approval a")], null)).toEqual([])
  })

  it("keeps no goal and no reason", () => {
    expect(keysOf([item("approval a")])).toEqual(["approval a"])
  })
})
