/** Where a screen is planned and not there yet: it says so, and where the same is to be had. */
import type { ReactNode } from "react"
import { Card } from "../ui/Card.tsx"
import { Code } from "../ui/Code.tsx"
import { Screen } from "./Screen.tsx"

/** `asks` is the method and path of an endpoint. */
export const PlannedScreen = ({ asks, title }: { readonly title: string; readonly asks: string }): ReactNode => (
  <Screen title={title} lead="This screen is not built yet. The HTTP API has what it will show.">
    <Card>
      <Code label="The endpoint that answers it">{asks}</Code>
    </Card>
  </Screen>
)
