/** The button that switches notifications on, where they are off and may be on. */
import type { ReactNode } from "react"
import { Button } from "../ui/Button.tsx"
import { switchOn, useSwitched } from "./Switch.ts"

/** Nothing where it is on, and where the browser said no: Account tells that. */
export const NotificationButton = (): ReactNode =>
  useSwitched() === "off" ? (
    <Button icon="inbox" onClick={() => void switchOn()}>
      Notify me here
    </Button>
  ) : null
