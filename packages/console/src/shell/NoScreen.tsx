/** An address that leads nowhere. */
import type { ReactNode } from "react"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Screen } from "./Screen.tsx"

/** It says so, and leads back. */
export const NoScreen = (): ReactNode => (
  <Screen title="Nothing is here">
    <Card bare>
      <Empty icon="search" title="The address leads nowhere">
        <p>It may be mistyped, or from another version of the console.</p>
        <LinkButton to="/">Go to the Inbox</LinkButton>
      </Empty>
    </Card>
  </Screen>
)
