/** A moment as evidence has it: whole, in UTC, the same on every screen and on paper. */
import type { ReactNode } from "react"

/** `at` is ISO 8601, as the API has it. */
export const Moment = ({ at }: { readonly at: string }): ReactNode => (
  <time className="moment" dateTime={at}>
    {at.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC")}
  </time>
)
