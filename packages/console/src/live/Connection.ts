/** How the page stands with the server's news: what the bar says. */
import type { Happening } from "./Stream.ts"

/** `off`: there is no stream, so news come when one asks. `stale`: for longer than a blink. Moments in ms. */
export type Connection =
  | { readonly is: "connecting" }
  | { readonly is: "live" }
  | { readonly is: "reconnecting"; readonly since: number }
  | { readonly is: "stale"; readonly since: number }
  | { readonly is: "off" }

/**
 * Milliseconds that a stream may be away before the page says that it shows the past. It looks once a second, and is to say
 * so within five, also on a slow machine.
 */
export const patienceMs = 3500

/** What the connection is after something happened to the stream. */
export const after = (now: Connection, what: Happening, at: number): Connection => {
  if (what.is === "off") return { is: "off" }
  if (what.is !== "lost") return now.is === "live" ? now : { is: "live" }
  return now.is === "reconnecting" || now.is === "stale" ? now : { is: "reconnecting", since: at }
}

/** What it is when time goes on. */
export const later = (now: Connection, at: number): Connection =>
  now.is === "reconnecting" && at - now.since >= patienceMs ? { is: "stale", since: now.since } : now
