/** One's own id, whole: it is there to be given to others. */
import type { ReactNode } from "react"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"

/** With a button that copies it. */
export const SelfId = ({ id }: { readonly id: string }): ReactNode => {
  const copy = () => {
    void navigator.clipboard.writeText(id).then(
      () => announce("Your id is copied"),
      () => announce(`The browser did not let it be copied. It is ${id}`)
    )
  }
  return (
    <span className="row">
      <code>{id}</code>
      <Button size="small" icon="copy" onClick={copy}>
        Copy
      </Button>
    </span>
  )
}
