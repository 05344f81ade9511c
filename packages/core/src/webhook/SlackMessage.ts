/** What an incoming webhook of Slack is told of an event: one line of mrkdwn with a link into the console. Pure. */
import type { Delivery } from "../model/Delivery.ts"
import type { Event, EventType } from "../model/Event.ts"
import { short } from "../primitives/ShortText.ts"

/** The types that are told to Slack: what waits for a person, or went wrong. */
export const slackTypes: ReadonlyArray<EventType> = [
  "approval.requested",
  "release.smoke_failed",
  "candidate.blocked",
  "change.failed",
  "audit.failed"
]

/** Where the console is and what people call things; null where it is not known. */
export interface SlackPlace {
  /** Of the API and the console, such as `https://pawl.example`. */
  readonly origin: string | null
  readonly project: { readonly name: string; readonly label: string }
  /** The goal of the Change that the event is about. */
  readonly goal: string | null
}

/** The three characters that mean something in Slack's mrkdwn (Slack, "Escaping text"); a line break would begin a quote. */
export const escaped = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, " ")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")

const textOf = (value: unknown): string | null =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : null

/** The Change that an event is about; null for none. */
export const changeOf = ({ data, subject }: Pick<Event, "data" | "subject">): string | null =>
  subject.startsWith("chg_") ? subject : textOf((data as Readonly<Record<string, unknown>>)["changeId"])

const pathOf = (event: Event, { project }: SlackPlace): string => {
  const { generation } = event.data as Readonly<Record<string, unknown>>
  if (event.type === "release.smoke_failed" && typeof generation === "number")
    return `/p/${project.label}/generations/${generation}`
  const changeId = changeOf(event)
  return changeId === null ? `/p/${project.label}` : `/changes/${changeId}`
}

const words = (event: Event): string => {
  const { generation, reason, riskTier } = event.data as Readonly<Record<string, unknown>>
  switch (event.type) {
    case "approval.requested":
      return `An approval is owed${textOf(riskTier) === null ? "" : `, risk ${textOf(riskTier)}`}`
    case "release.smoke_failed":
      return `The release of S${textOf(generation) ?? "?"} failed its smoke test`
    case "candidate.blocked":
      return `A Candidate is blocked${textOf(reason) === null ? "" : `: ${textOf(reason)}`}`
    case "change.failed":
      return `A Change has failed${textOf(reason) === null ? "" : `: ${textOf(reason)}`}`
    case "audit.failed":
      return "An audit found something"
    default:
      return event.type
  }
}

const linked = (event: Event, place: SlackPlace): string =>
  place.origin === null ? "" : ` <${place.origin}${pathOf(event, place)}|Open it>`

/** The body of a message; of a ping without an event. Every word that somebody wrote is escaped and cut. */
export const slackBody = (event: Event | null, place: SlackPlace, delivery: Pick<Delivery, "webhookId">): string => {
  const name = escaped(short(place.project.name))
  if (event === null) return JSON.stringify({ text: `*${name}*: a test message of the webhook ${delivery.webhookId}.` })
  const goal = place.goal === null ? "" : ` (${escaped(short(place.goal))})`
  return JSON.stringify({ text: `*${name}*: ${escaped(short(words(event)))}${goal}.${linked(event, place)}` })
}
