/** What a machine wrote, or is to be given: as it is. */
import type { ReactNode } from "react"

/** A block of its own; it scrolls by the keyboard too. `label` is its name. */
export const Code = ({ children, label }: { readonly label: string; readonly children: string }): ReactNode => (
  <pre className="code" tabIndex={0} role="region" aria-label={label}>
    {children}
  </pre>
)
