/** A word beside something: its kind, its risk. */
import type { ReactNode } from "react"
import type { Tone } from "./StatusTone.ts"

/** Without a tone it is grey. */
export const Tag = ({ children, tone }: { readonly tone?: Tone; readonly children: ReactNode }): ReactNode => (
  <span className="tag" data-tone={tone}>
    {children}
  </span>
)
