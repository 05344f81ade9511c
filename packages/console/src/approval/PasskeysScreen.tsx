/** `/settings/passkeys`: where a refusal sends who has no passkey. */
import type { ReactNode } from "react"
import { Screen } from "../shell/Screen.tsx"
import { Passkeys } from "./Passkeys.tsx"

/** The caller's own passkeys. */
export default function PasskeysScreen(): ReactNode {
  return (
    <Screen title="Passkeys" lead="With a passkey you sign what you approve. A stolen token cannot.">
      <Passkeys />
    </Screen>
  )
}
