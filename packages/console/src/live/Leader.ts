/**
 * One stream for all tabs of a browser: over HTTP/1.1 a seventh would wait for ever. A lock says which tab holds it, a
 * channel hands on what it hears, and when that tab goes the next one goes on after the last event that it heard.
 */
import { useSyncExternalStore } from "react"
import { follow, type Happening, type StreamPlace } from "./Stream.ts"

const name = "pawl.changes-of-state"

type Message =
  | { readonly is: "said"; readonly what: Happening }
  /** A tab that has just come asks how it stands. */
  | { readonly is: "new" }

let leads = false
const watching = new Set<() => void>()

const setLeads = (is: boolean): void => {
  leads = is
  for (const each of watching) each()
}

/** Whether this tab holds the stream: what one tab alone does for all of them is done here. */
export const useLeads = (): boolean =>
  useSyncExternalStore(
    (see) => {
      watching.add(see)
      return () => watching.delete(see)
    },
    () => leads
  )

/** Takes part until the signal, from a place on. `tell` hears everything, whichever tab holds the stream. */
export const takePart = (from: StreamPlace, tell: (what: Happening) => void, signal: AbortSignal): void => {
  const channel = new BroadcastChannel(name)
  let { after } = from
  let last: Happening | null = null

  const hear = (what: Happening) => {
    if (what.is === "event") after = what.event.id ?? after
    else last = what
    tell(what)
  }
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.is === "said") hear(data.what)
    // It has everything fresh from the server: to it the stream has no gap.
    else if (leads && last !== null)
      channel.postMessage({
        is: "said",
        what: last.is === "open" ? { is: "open", isGap: false } : last
      } satisfies Message)
  })
  channel.postMessage({ is: "new" } satisfies Message)
  signal.addEventListener("abort", () => channel.close())

  const lead = async () => {
    setLeads(true)
    const say = (what: Happening) => {
      hear(what)
      if (!signal.aborted) channel.postMessage({ is: "said", what } satisfies Message)
    }
    await follow({ ...from, after }, say, signal).finally(() => setLeads(false))
  }
  // Without locks (a page that is not secure) each tab has a stream of its own.
  const led = "locks" in navigator ? navigator.locks.request(name, { signal }, lead).catch(() => undefined) : lead()
  void led
}
