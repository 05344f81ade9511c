/** An id: short on the screen, whole in print, copied by a click. */
import type { ReactNode } from "react"
import { announce } from "../shell/Announcements.ts"
import { Icon } from "./Icon.tsx"
import { shortId } from "./ShortId.ts"

/** `label` says what the id is of, for screen readers: "Change". */
export const Id = ({ id, label }: { readonly id: string; readonly label: string }): ReactNode => {
  const copy = () => {
    void navigator.clipboard.writeText(id).then(
      () => announce(`${label} id copied`),
      () => announce(`The browser did not let it be copied. It is ${id}`)
    )
  }
  return (
    <button type="button" className="id" title={id} onClick={copy}>
      <span className="hidden-text">Copy {label} id </span>
      <span className="id-short">{shortId(id)}</span>
      <span className="id-whole">{id}</span>
      <Icon name="copy" />
    </button>
  )
}
