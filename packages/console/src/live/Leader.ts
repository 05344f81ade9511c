/**
 * One stream for all tabs of a browser: over HTTP/1.1 a seventh would wait for ever. A lock says which tab holds it, a
 * channel hands on what it hears, and when that tab goes the next one goes on after the last event that it heard.
 */
import { follow, type Happening } from "./Stream.ts"

const name = "pawl.changes-of-state"

type Message =
  | { readonly is: "said"; readonly what: Happening }
  /** A tab that has just come asks how it stands. */
  | { readonly is: "new" }

/** Takes part until the signal. `tell` hears everything, whichever tab holds the stream. */
export const takePart = (url: string, tell: (what: Happening) => void, signal: AbortSignal): void => {
  const channel = new BroadcastChannel(name)
  let after: string | null = null
  let last: Happening | null = null
  let isLeader = false

  const hear = (what: Happening) => {
    if (what.is === "event") after = what.event.id ?? after
    else last = what
    tell(what)
  }
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    if (data.is === "said") hear(data.what)
    // It has everything fresh from the server: to it the stream has no gap.
    else if (isLeader && last !== null)
      channel.postMessage({
        is: "said",
        what: last.is === "open" ? { is: "open", isGap: false } : last
      } satisfies Message)
  })
  channel.postMessage({ is: "new" } satisfies Message)
  signal.addEventListener("abort", () => channel.close())

  const lead = async () => {
    isLeader = true
    const say = (what: Happening) => {
      hear(what)
      if (!signal.aborted) channel.postMessage({ is: "said", what } satisfies Message)
    }
    await follow({ url, after }, say, signal)
  }
  // Without locks (a page that is not secure) each tab has a stream of its own.
  const led = "locks" in navigator ? navigator.locks.request(name, { signal }, lead).catch(() => undefined) : lead()
  void led
}
