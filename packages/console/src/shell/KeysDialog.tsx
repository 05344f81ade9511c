/** The table of keys, and the switch for those that have no modifier. */
import { type ReactNode, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Kbd } from "../ui/Kbd.tsx"
import { bindings, keysAreOn, switchKeys } from "./KeyBindings.ts"

/** What each key does is the value, the keys are the name. */
export const KeysDialog = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const [isOn, setOn] = useState(keysAreOn)
  const toggle = () => {
    switchKeys(!isOn)
    setOn(!isOn)
  }
  return (
    <Dialog title="Keys" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <Facts
        of={{
          ...Object.fromEntries(bindings.map(({ does, keys }) => [does, <Kbd key={keys} keys={keys} />])),
          "Go to a Project or a screen": <Kbd keys="Ctrl+K" />
        }}
      />
      <label className="check">
        <input type="checkbox" checked={isOn} onChange={toggle} /> Keys without Ctrl do something in this browser
      </label>
    </Dialog>
  )
}
