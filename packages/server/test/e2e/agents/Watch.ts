/** What a test sees of a goal while agents work it: records as they stand on the wire, events as they come. */
import { token } from "../kit/ServerProcess.ts"
import { decodeEvents } from "../../http/groups/EventReader.ts"

/** An event of a stream, as far as tests look at it. */
export interface Told {
  readonly type: string
  readonly subject: string
  readonly sequence: number
  readonly data: Readonly<Record<string, unknown>>
}

/** Reads the events of a Project as they happen, from the one after `after` on. */
export const events = async (origin: string, projectId: string, after = 0) => {
  const response = await fetch(`${origin}/v1/projects/${projectId}/events?after=${after}`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" }
  })
  const { close, next } = decodeEvents(response)
  const told: Array<Told> = []
  return {
    /** All that was read so far. */
    told,
    /** Reads on until one fits, and answers it. */
    until: async (fits: (event: Told) => boolean): Promise<Told> => {
      for (;;) {
        const event = (await next()).data as Told
        told.push(event)
        if (fits(event)) return event
      }
    },
    close
  }
}

/** What a value is on the wire, for records whose every field is compared. */
export const shapeOf = (record: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      value === null ? "null" : Array.isArray(value) ? "array" : typeof value
    ])
  )

/** A gate that the model's answers wait before, one after the other. */
export interface Gate<A> {
  /** Resolves when somebody waits. */
  readonly reached: Promise<void>
  readonly open: (value: A) => void
  readonly pass: () => Promise<A>
}

/** A closed gate. */
export const gate = <A>(): Gate<A> => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise, resolve: open } = Promise.withResolvers<A>()
  return { reached, open, pass: () => (reach(), promise) }
}
