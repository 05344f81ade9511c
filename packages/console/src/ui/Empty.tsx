/** What stands where nothing is: that it is so, and what to do. */
import type { ReactNode } from "react"
import { Icon, type IconName } from "./Icon.tsx"

/** The children are words, and perhaps one button. */
export const Empty = ({
  children,
  icon,
  title
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
}): ReactNode => (
  <div className="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
)
