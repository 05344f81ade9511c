/** The lines of an app as they come, kept for the page. */
import { useEffect, useState } from "react"
import { addressOf } from "../api/Client.ts"
import { routes } from "../api/Routes.generated.ts"
import { follow } from "../live/Stream.ts"
import { type LogLine, type LogRow, withLines } from "./LogWindow.ts"

/** How the stream stands. */
export type Following = "connecting" | "open" | "lost" | "off"

/** What a page shows of it. */
export interface Followed {
  readonly rows: ReadonlyArray<LogRow>
  readonly is: Following
}

/** Milliseconds that lines are gathered before they are drawn: a hundred in a second are ten pictures, not a hundred. */
const gatherMs = 100

const lineIn = (data: string): LogLine => JSON.parse(data) as LogLine

/** Follows the Project's lines while it is mounted. */
export const useLogLines = (projectId: string): Followed => {
  const [followed, setFollowed] = useState<Followed>({ rows: [], is: "connecting" })
  useEffect(() => {
    const end = new AbortController()
    let waiting: Array<LogLine> = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const draw = () => {
      const lines = waiting
      waiting = []
      timer = undefined
      setFollowed((now) => ({ ...now, rows: withLines(now.rows, lines) }))
    }
    const become = (is: Following) => setFollowed((now) => (now.is === is ? now : { ...now, is }))
    const [, path] = routes.apps.logs
    const url = addressOf({ method: "GET", path, params: { id: projectId } })
    void follow(
      { url, after: null },
      (what) => {
        if (what.is === "open") return become("open")
        if (what.is === "lost") return become("lost")
        if (what.is === "off") return become("off")
        waiting.push(lineIn(what.event.data))
        timer ??= setTimeout(draw, gatherMs)
      },
      end.signal
    )
    return () => {
      end.abort()
      clearTimeout(timer)
    }
  }, [projectId])
  return followed
}
