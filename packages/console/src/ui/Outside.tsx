/** A link that leaves the console: to an app, or to a page of somebody else. */
import type { ReactNode } from "react"
import { Icon } from "./Icon.tsx"

/** Opens in a tab of its own, which learns nothing of this one. */
export const Outside = ({ children, to }: { readonly to: string; readonly children: ReactNode }): ReactNode => (
  <a className="outside" href={to} target="_blank" rel="noopener noreferrer">
    <span>
      {children}
      <span className="hidden-text"> (opens in a new tab)</span>
    </span>
    <Icon name="open" />
  </a>
)
