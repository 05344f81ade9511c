/** How the console looks and listens in this browser. */
import { type ReactNode, useState } from "react"
import { NotificationField } from "../notification/NotificationField.tsx"
import { keysAreOn, switchKeys } from "../shell/KeyBindings.ts"
import { ThemeField } from "../shell/ThemeField.tsx"
import { Card } from "../ui/Card.tsx"

/** The theme, the keys and notifications. */
export const Preferences = (): ReactNode => {
  const [isOn, setOn] = useState(keysAreOn)
  const toggle = () => {
    switchKeys(!isOn)
    setOn(!isOn)
  }
  return (
    <Card title="This browser">
      <div className="two">
        <ThemeField />
        <label className="check">
          <input type="checkbox" checked={isOn} onChange={toggle} />
          <span>Keys without Ctrl do something. Press ? for the table of them.</span>
        </label>
        <NotificationField />
      </div>
    </Card>
  )
}
