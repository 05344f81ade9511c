/** An app in a frame as wide as a screen, drawn smaller where there is less room. */
import { type ReactNode, useEffect, useRef, useState } from "react"
import { Outside } from "../ui/Outside.tsx"

/** How wide the screen is, and how tall. In CSS pixels. */
export interface ScreenSize {
  readonly width: number
  readonly height: number
}

const useRoom = () => {
  const place = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(0)
  useEffect(() => {
    const measured = place.current
    if (measured === null) return
    const watcher = new ResizeObserver(([seen]) => setRoom(seen?.contentRect.width ?? 0))
    watcher.observe(measured)
    return () => watcher.disconnect()
  }, [])
  return { place, room }
}

/** `of` is what it shows, such as "Preview of cand_1". Another `commit` is another frame. */
export const AppFrame = ({
  children,
  commit,
  of,
  size,
  title,
  url
}: {
  readonly title: string
  readonly of: string
  readonly url: string
  readonly commit: string
  readonly size: ScreenSize
  readonly children: ReactNode
}): ReactNode => {
  const { place, room } = useRoom()
  const scale = Math.min(1, room / size.width)
  return (
    <section className="app-frame" aria-label={title}>
      <div className="app-frame-head">
        <h2>{title}</h2>
        <span>{children}</span>
        <Outside to={url}>Open in a tab</Outside>
      </div>
      <div ref={place} className="app-frame-room" style={{ blockSize: room === 0 ? undefined : size.height * scale }}>
        {room === 0 ? null : (
          <iframe
            key={commit}
            title={of}
            src={url}
            sandbox="allow-scripts allow-forms allow-same-origin allow-popups"
            referrerPolicy="no-referrer"
            allow=""
            width={size.width}
            height={size.height}
            style={{ transform: `scale(${scale})` }}
          />
        )}
      </div>
    </section>
  )
}
