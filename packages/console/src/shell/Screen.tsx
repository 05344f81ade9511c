/** What every screen stands in: its heading, which gets the focus when one comes here, its actions, and its name in the tab. */
import { type ReactNode, useEffect, useRef } from "react"

// The first screen of a page does not take the focus: nobody came from another one.
let screens = 0

/** `title` is its `h1`. Each screen has exactly one of these. */
export const Screen = ({
  actions,
  children,
  lead,
  title
}: {
  readonly title: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}): ReactNode => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // Who opened a list meanwhile, as by Ctrl K, types there.
    const isElsewhere = document.activeElement?.closest(":popover-open") != null
    if (screens > 0 && !isElsewhere) heading.current?.focus()
    screens += 1
  }, [])
  return (
    <div className="screen">
      <title>{`${title} · Pawl`}</title>
      <div className="screen-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead === undefined ? null : <div className="screen-lead">{lead}</div>}
        </div>
        {actions === undefined ? null : <div className="screen-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}
