/** In the bar: whether what is shown is now. */
import type { ReactNode } from "react"
import type { Connection } from "../live/Connection.ts"
import { useConnection } from "../live/Live.ts"
import { Notice } from "../ui/Notice.tsx"

const words: Readonly<Record<Exclude<Connection["is"], "off">, string>> = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  stale: "Not live"
}

/** One word. Where the server has no stream there is nothing to say. */
export const ConnectionState = (): ReactNode => {
  const { is } = useConnection()
  if (is === "off") return null
  return (
    <span className="connection" data-state={is}>
      {words[is]}
    </span>
  )
}

/** Above the screen, once the news have been away for longer than a blink. Everything goes on working. */
export const StaleNotice = (): ReactNode => {
  const connection = useConnection()
  if (connection.is !== "stale") return null
  return (
    <Notice tone="warn" icon="clock">
      What you see is of {new Date(connection.since).toLocaleTimeString()}. The server does not send news; the page goes
      on trying.
    </Notice>
  )
}
