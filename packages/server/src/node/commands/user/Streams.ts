/** `pawl logs` and `pawl events`: a page, or with `--follow` each new row. */
import { countOf, wholeOf } from "./Numbers.ts"
import { everyItem } from "./Pages.ts"
import type { Answer } from "./Routes.ts"
import type { UserClient } from "./UserClient.ts"
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

/** The newest lines, as many as are asked for and kept. A page is the newest one, or goes on behind a line. */
const newestLines = async (
  client: UserClient,
  id: string,
  channel: string | undefined,
  most: number
): Promise<ReadonlyArray<LogLine>> => {
  const limit = Math.min(most, 100)
  const { items: newest } = await client.ask("apps.logs", { id, query: { limit, channel } })
  const [first] = newest
  if (first === undefined || most === limit || newest.length < limit) return newest
  // Lines that come meanwhile are no reason to read on.
  const before = await everyItem(async (cursor) => {
    const page = await client.ask("apps.logs", { id, query: { after: 0, cursor, limit: 100, channel } })
    const isThere = (page.items.at(-1)?.sequence ?? 0) >= first.sequence
    return isThere ? { ...page, nextCursor: null } : page
  })
  return [...before.filter(({ sequence }) => sequence < first.sequence), ...newest].slice(-most)
}

/** The newest lines; a stream begins with them. */
export const logs: Run = async ({ client, has, line, project, value }) => {
  const most = countOf(value, "limit", 100)
  const channel = value("channel")
  const id = await project.id()
  const items = await newestLines(client(), id, channel, most)
  if (has("follow")) {
    for (const row of items) line(row, logCells(row))
    const after = items.at(-1)?.sequence ?? 0
    for await (const { data } of client().stream("apps.logs", { id, query: { after, channel } })) {
      // The server sends what the contract says.
      const row = data as LogLine
      line(row, logCells(row))
    }
  }
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
