/** What an incoming webhook of Slack is told. */
import { describe, expect, it } from "vitest"
import type { Event, EventType } from "@pawl/core/model/Event"
import { changeOf, escaped, slackBody, type SlackPlace, slackTypes } from "@pawl/core/webhook/SlackMessage"

const place: SlackPlace = {
  origin: "https://pawl.example",
  project: { name: "Corner & Co", label: "corner" },
  goal: "Say <hours>"
}
const webhook = { webhookId: "whk_1" as const }
const event = (type: EventType, subject: string, data: object) => ({ type, subject, data }) as unknown as Event
const said = (told: Event | null, at = place) => JSON.parse(slackBody(told, at, webhook)).text as string

describe("A message for Slack", () => {
  it("says of each type what happened, with a link to where one looks at it", () => {
    const of = (type: EventType, subject: string, data: object) => said(event(type, subject, data))
    expect(of("approval.requested", "cand_1", { changeId: "chg_1", riskTier: "high" })).toBe(
      "*Corner &amp; Co*: An approval is owed, risk high (Say &lt;hours&gt;). <https://pawl.example/changes/chg_1|Open it>"
    )
    expect(of("release.smoke_failed", "rel_1", { generation: 7 })).toContain(
      "The release of S7 failed its smoke test (Say &lt;hours&gt;). <https://pawl.example/p/corner/generations/7|"
    )
    expect(of("candidate.blocked", "cand_1", { changeId: "chg_1", reason: "composed anew 2 times" })).toContain(
      "A Candidate is blocked: composed anew 2 times"
    )
    expect(of("change.failed", "chg_9", { reason: "a < b" })).toContain("failed: a &lt; b (Say")
    expect(of("change.failed", "chg_9", {})).toContain("<https://pawl.example/changes/chg_9|Open it>")
    expect(of("audit.failed", "proj_1", { findings: [{ detail: "x" }] })).toContain(
      "An audit found something (Say &lt;hours&gt;). <https://pawl.example/p/corner|Open it>"
    )
    expect(slackTypes.length).toBe(5)
  })

  it("has one link that is ours, whatever somebody wrote: words of others are escaped, and take one line", () => {
    const hostile = "<!channel> <https://evil.example|Approve> & \n> quoted \u0007"
    expect(escaped(hostile)).not.toMatch(/[<>]|\p{Cc}/u)
    const text = said(event("candidate.blocked", "cand_1", { changeId: "chg_1", reason: hostile }), {
      ...place,
      goal: hostile,
      project: { name: hostile, label: "corner" }
    })
    expect(text.match(/<[^>]*>/g)).toEqual(["<https://pawl.example/changes/chg_1|Open it>"])
    expect(text).not.toContain("\n")
  })

  it("has no link where the address of the console is not known, and tells a test by its webhook", () => {
    expect(said(event("audit.failed", "proj_1", {}), { ...place, origin: null, goal: null })).toBe(
      "*Corner &amp; Co*: An audit found something."
    )
    expect(said(null)).toBe("*Corner &amp; Co*: a test message of the webhook whk_1.")
  })

  it("finds the Change by the subject, or by the data", () => {
    expect(changeOf(event("change.failed", "chg_1", {}))).toBe("chg_1")
    expect(changeOf(event("candidate.blocked", "cand_1", { changeId: "chg_2" }))).toBe("chg_2")
    expect(changeOf(event("audit.failed", "proj_1", {}))).toBe(null)
  })
})
