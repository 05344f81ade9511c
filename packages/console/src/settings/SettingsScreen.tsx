/** Around each screen of a Project's settings: the way to the others. */
import type { ReactNode } from "react"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import "./settings.css"

/** As `Screen`. */
export const SettingsScreen = ({
  actions,
  children,
  lead,
  title
}: {
  readonly title: string
  readonly lead: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}): ReactNode => {
  const at = `/p/${useProjectHere().label}/settings`
  return (
    <Screen title={title} lead={lead} {...(actions === undefined ? {} : { actions })}>
      <div className="settings-tabs">
        <Tabs
          label="Settings"
          tabs={[
            { to: at, title: "Policy", whole: true },
            { to: `${at}/members`, title: "Members" },
            { to: `${at}/webhooks`, title: "Webhooks" },
            { to: `${at}/app`, title: "App" }
          ]}
        />
      </div>
      {children}
    </Screen>
  )
}
