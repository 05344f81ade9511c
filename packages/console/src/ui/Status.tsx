/** Where something is: a picture, a word and a colour. */
import type { ReactNode } from "react"
import { Icon } from "./Icon.tsx"
import { lookOf } from "./StatusTone.ts"

/** `of` is a status of the API. `words` say it otherwise than usual. */
export const Status = ({ of, words }: { readonly of: string; readonly words?: string }): ReactNode => {
  const look = lookOf(of)
  return (
    <span className="status" data-tone={look.tone}>
      <Icon name={look.icon} />
      {words ?? look.words}
    </span>
  )
}
