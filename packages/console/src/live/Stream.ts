/** The one stream of changes of state, kept open: read, lost, and taken up again where it ended. */
import { frameReader, type SentEvent } from "./Frames.ts"

/** What happens to a stream. `open` with `isGap` may have missed some: nothing says what came before it. */
export type Happening =
  | { readonly is: "open"; readonly isGap: boolean }
  | { readonly is: "event"; readonly event: SentEvent }
  | { readonly is: "lost" }
  /** The server has no such stream, or nobody is signed in. It is not tried again. */
  | { readonly is: "off" }

/** A server says something at least every 15 seconds. A stream that is silent for longer than this is gone. */
const silenceMs = 40_000

const firstPauseMs = 500
const longestPauseMs = 10_000

/** Milliseconds before try number `tries` (the first is 0), spread by `chance` of 0 to 1: not all come at once. */
export const pauseMs = (tries: number, chance: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** tries) * (0.5 + chance / 2)

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

const read = async (body: ReadableStream<Uint8Array>, tell: (event: SentEvent) => void, end: AbortController) => {
  const events = frameReader()
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  for (;;) {
    const silence = setTimeout(() => end.abort(), silenceMs)
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    events(value).forEach(tell)
  }
}

/** Where the stream is, and where it was read to; null: from now on. */
export interface StreamPlace {
  readonly url: string
  readonly after: string | null
}

/** One connection. Answers whether another is to be tried, and from where. */
const connect = async (place: StreamPlace, tell: (what: Happening) => void, signal: AbortSignal) => {
  const end = new AbortController()
  const stop = () => end.abort()
  signal.addEventListener("abort", stop)
  let { after } = place
  try {
    const response = await fetch(after === null ? place.url : `${place.url}?after=${encodeURIComponent(after)}`, {
      headers: { accept: "text/event-stream" },
      credentials: "same-origin",
      signal: end.signal
    })
    // What came after is not kept any more: all may be stale, and the stream begins anew.
    if (response.status === 410) return { again: true, after: null, wasOpen: false }
    if ([401, 403, 404, 406].includes(response.status)) return { again: false, after, wasOpen: false }
    if (!response.ok || response.body === null) return { again: true, after, wasOpen: false }
    tell({ is: "open", isGap: after === null })
    const see = (event: SentEvent) => {
      after = event.id ?? after
      tell({ is: "event", event })
    }
    await read(response.body, see, end).catch(() => undefined)
    return { again: true, after, wasOpen: true }
  } catch {
    return { again: true, after, wasOpen: false }
  } finally {
    signal.removeEventListener("abort", stop)
  }
}

/** Keeps the stream open until the signal, and tells what happens to it. */
export const follow = async (
  place: StreamPlace,
  tell: (what: Happening) => void,
  signal: AbortSignal
): Promise<void> => {
  let { after } = place
  let tries = 0
  while (!signal.aborted) {
    const outcome = await connect({ ...place, after }, tell, signal)
    if (signal.aborted) return
    if (!outcome.again) return tell({ is: "off" })
    after = outcome.after
    tell({ is: "lost" })
    tries = outcome.wasOpen ? 0 : tries + 1
    await pause(pauseMs(tries, Math.random()), signal)
  }
}
