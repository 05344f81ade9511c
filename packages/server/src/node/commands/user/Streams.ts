/** `pawl logs` and `pawl events`: a page, or with `--follow` each new row. */
import { countOf, wholeOf } from "./Numbers.ts"
import { everyItem } from "./Pages.ts"
import type { Answer } from "./Routes.ts"
import type { Run } from "./Verb.ts"

type LogLine = Answer<"apps.logs">["items"][number]
type Event = Answer<"events.list">["items"][number]

const logCells = ({ channel, level, text, time }: LogLine): ReadonlyArray<string> => [time, channel, level, text]
const eventCells = ({ actor, sequence, subject, time, type }: Event): ReadonlyArray<string> => [
  String(sequence),
  time,
  type,
  subject,
  actor.id
]

/** The newest lines; a stream begins with them. */
export const logs: Run = async ({ client, has, line, project, value }) => {
  const most = countOf(value, "limit", 100)
  const id = await project.id()
  const query = { limit: Math.min(most, 100), channel: value("channel") }
  if (has("follow"))
    for await (const { data } of client().stream("apps.logs", { id, query })) {
      // The server sends what the contract says.
      const row = data as LogLine
      line(row, logCells(row))
    }
  const { items } = await client().ask("apps.logs", { id, query })
  return { json: { items }, table: { head: ["time", "channel", "level", "line"], rows: items.map(logCells) } }
}

/** Oldest first, as they are numbered. */
export const events: Run = async ({ client, has, line, project, value, values }) => {
  const most = countOf(value, "limit", 30)
  const given = value("after")
  const after = given === undefined ? undefined : wholeOf(given, "sequence: give a number")
  const types = values("type")
  const id = await project.id()
  if (has("follow"))
    for await (const { data } of client().stream("events.list", { id, query: { after, types } })) {
      const row = data as Event
      line(row, eventCells(row))
    }
  const items = await everyItem(
    (cursor) => client().ask("events.list", { id, query: { after, types, cursor, limit: Math.min(most, 100) } }),
    most
  )
  return {
    json: { items },
    table: { head: ["sequence", "time", "type", "subject", "by"], rows: items.map(eventCells) }
  }
}
