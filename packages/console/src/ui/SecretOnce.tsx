/** A secret that was just made: it is shown now, and by nobody ever again. */
import { type ReactNode, useId } from "react"
import { announce } from "../shell/Announcements.ts"
import { Button } from "./Button.tsx"
import { Notice } from "./Notice.tsx"

/** `label` says what it is: "Token". */
export const SecretOnce = ({ label, secret }: { readonly label: string; readonly secret: string }): ReactNode => {
  const id = useId()
  const copy = () => {
    void navigator.clipboard.writeText(secret).then(
      () => announce(`${label} copied`),
      () => announce("The browser did not let it be copied. Select it, and copy it yourself.")
    )
  }
  return (
    <div className="secret">
      <Notice tone="warn" icon="key">
        Keep it now: it is shown this once, and nobody can show it again.
      </Notice>
      <label htmlFor={id}>{label}</label>
      <div className="secret-row">
        <input
          id={id}
          className="input"
          readOnly
          spellCheck={false}
          autoComplete="off"
          value={secret}
          onFocus={({ target }) => target.select()}
        />
        <Button icon="copy" onClick={copy}>
          Copy
        </Button>
      </div>
    </div>
  )
}
