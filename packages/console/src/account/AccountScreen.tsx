/** `/settings`: who I am, what acts for me, and how the console looks here. */
import type { ReactNode } from "react"
import { Passkeys } from "../approval/Passkeys.tsx"
import { Screen } from "../shell/Screen.tsx"
import { Preferences } from "./Preferences.tsx"
import { SessionsCard } from "./SessionsCard.tsx"
import { TokensCard } from "./TokensCard.tsx"
import { WhoIAm } from "./WhoIAm.tsx"
import "../settings/settings.css"

/** One's own settings. */
export default function AccountScreen(): ReactNode {
  return (
    <Screen title="Account" lead="Who you are here, and what acts for you.">
      <div className="in-turn">
        <WhoIAm />
        <TokensCard />
        <Passkeys />
        <SessionsCard />
        <Preferences />
      </div>
    </Screen>
  )
}
