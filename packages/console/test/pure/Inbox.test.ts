import { describe, expect, it } from "vitest"
import { itemsOf } from "../../src/inbox/InboxItems.ts"

type Waiting = Parameters<typeof itemsOf>[0][number]

const waiting = (part: Partial<Waiting>): Waiting => ({
  kind: "approval",
  projectId: "proj_1",
  label: "shop",
  id: "chg_1",
  changeId: "chg_1",
  candidateId: null,
  status: "awaiting_approval",
  title: "A goal",
  reason: null,
  at: "2026-03-01T12:00:00.000Z",
  ...part
})

describe("The Inbox", () => {
  it("keeps the server's order, and leads to where each thing is dealt with", () => {
    const items = itemsOf([
      waiting({}),
      waiting({ kind: "release", id: "rel_1", status: "failed", title: "Release of S3" }),
      waiting({ kind: "dead_letter", id: "app.build:1", changeId: null, status: "dead", title: "app.build" })
    ])
    expect(items.map(({ to }) => to)).toEqual(["/changes/chg_1", "/p/shop", "/p/shop/dead-letters"])
    expect(items.map(({ title }) => title)).toEqual(["A goal", "Release of S3", "app.build failed too often"])
  })

  it("says why each waits: by its own reason where it has one, else what to do", () => {
    const why = (part: Partial<Waiting>) => itemsOf([waiting(part)])[0]?.why
    expect(why({ kind: "candidate", reason: "test failed" })).toBe("test failed")
    expect(why({ kind: "candidate" })).toBe("Its Candidate cannot be promoted.")
    expect(why({ kind: "approval", reason: "tier high" })).toBe("Look at it, and approve or reject.")
  })

  it("tells two things of one Change apart", () => {
    const [one, other] = itemsOf([waiting({}), waiting({ kind: "candidate" })])
    expect(one?.key).not.toBe(other?.key)
  })
})
