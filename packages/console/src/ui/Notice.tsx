/** A sentence across the screen: something is other than usual, and the screen works all the same. */
import type { ReactNode } from "react"
import { Icon, type IconName } from "./Icon.tsx"
import type { Tone } from "./StatusTone.ts"

/** It is read out when it comes. */
export const Notice = ({
  children,
  icon,
  tone
}: {
  readonly tone: Tone
  readonly icon: IconName
  readonly children: ReactNode
}): ReactNode => (
  <div className="notice" data-tone={tone} role="status">
    <Icon name={icon} />
    <span>{children}</span>
  </div>
)
