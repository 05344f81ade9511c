/** A key of the keyboard. */
import type { ReactNode } from "react"

/** `keys` are pressed one after the other: `g i`. */
export const Kbd = ({ keys }: { readonly keys: string }): ReactNode =>
  keys.split(" ").map((key) => (
    <kbd key={key} className="kbd">
      {key}
    </kbd>
  ))
