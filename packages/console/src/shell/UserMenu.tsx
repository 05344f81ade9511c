/** In the bar: who is signed in, how the page looks, and the way out. */
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useRef } from "react"
import { Link } from "wouter"
import { keys } from "../api/Keys.ts"
import { session, type SignedIn } from "../api/Session.ts"
import { asRefusal } from "../api/Refusal.ts"
import { Icon } from "../ui/Icon.tsx"
import { announce } from "./Announcements.ts"
import { ThemeField } from "./ThemeField.tsx"

/** A button with a list. `showKeys` opens the table of keys. */
export const UserMenu = ({
  showKeys,
  signedIn
}: {
  readonly signedIn: SignedIn
  readonly showKeys: () => void
}): ReactNode => {
  const client = useQueryClient()
  const pop = useRef<HTMLDivElement>(null)
  const close = () => pop.current?.hidePopover()
  const signOut = async () => {
    try {
      await session.signOut()
      await client.resetQueries({ queryKey: keys.session })
      client.clear()
      announce("You are signed out.")
    } catch (thrown) {
      announce(`You are still signed in. ${asRefusal(thrown).detail}`)
    }
  }
  return (
    <>
      <button
        type="button"
        className="icon-button"
        popoverTarget="user-pop"
        aria-label="Your account"
        title="Your account"
      >
        <Icon name="user" />
      </button>
      <div ref={pop} id="user-pop" popover="auto" className="pop pop-user">
        <p className="pop-head">
          Signed in as <strong>{signedIn.user.name}</strong>
        </p>
        <div className="pop-head">
          <ThemeField />
        </div>
        <hr className="pop-rule" />
        <Link href="/settings" className="pop-item" onClick={close}>
          <Icon name="key" /> Tokens and sessions
        </Link>
        <Link href="/system" className="pop-item" onClick={close}>
          <Icon name="machine" /> System
        </Link>
        <button
          type="button"
          className="pop-item"
          onClick={() => {
            close()
            showKeys()
          }}
        >
          <Icon name="keyboard" /> Keys <small>?</small>
        </button>
        <hr className="pop-rule" />
        <button type="button" className="pop-item" onClick={() => void signOut()}>
          <Icon name="leave" /> Sign out
        </button>
      </div>
    </>
  )
}
