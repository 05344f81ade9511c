/** The switch of notifications among one's own settings. */
import { type ReactNode, useId } from "react"
import { switchOff, switchOn, type Switched, useSwitched } from "./Switch.ts"

const words: Readonly<Record<Switched, string>> = {
  missing: "This browser has no notifications, or has them for https and localhost alone.",
  denied: "This browser was told not to. Its settings for this address can allow it again.",
  off: "The browser asks you once.",
  on: "One for each thing that begins to wait, while no tab of the console is in sight."
}

/** A box to tick, and below it what that means here. */
export const NotificationField = (): ReactNode => {
  const is = useSwitched()
  const hint = useId()
  const isFixed = is === "missing" || is === "denied"
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={is === "on"}
        disabled={isFixed}
        aria-describedby={hint}
        onChange={() => (is === "on" ? switchOff() : void switchOn())}
      />
      <span>
        Notify me of what waits for me.
        <small id={hint} className="button-reason">
          {words[is]}
        </small>
      </span>
    </label>
  )
}
