/** What it means to forget a command that failed too often, in words. Pure. */
import type { Answer } from "../api/Wire.ts"

/** One, as the API tells it. */
export type DeadLetter = Answer<"deadLetters", "list">["items"][number]

const words: Partial<Readonly<Record<DeadLetter["kind"], string>>> = {
  "agent.wake": "Its Task stays blocked, and what depends on that waits.",
  "change.dispatch": "Its Change fails, when it was being planned.",
  "project.provision": "The Project is archived, for good.",
  "candidate.create": "Its Candidate stays as it is, unchecked. The Change needs a new one.",
  "candidate.promote": "The promotion is not carried on. Promote again to have it done.",
  "webhook.deliver":
    "The receiver never gets this event by itself. It can be sent again from the webhook's deliveries.",
  "release.run": "The release stays where it is. The app goes on serving what it served.",
  "lane.step": "The lane stands still until something in it moves.",
  "statement.sign": "What was done stays unsigned until something else is signed.",
  "project.hint":
    "Nothing of the Project is lost: it tells its directory by itself, and upkeep comes again by the clock."
}

/** One or two sentences. */
export const consequenceOf = (kind: DeadLetter["kind"]): string =>
  words[kind] ?? "It is not done, and nobody tries it again by itself."
