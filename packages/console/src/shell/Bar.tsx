/** Above every screen: where one is, what waits, whether it is live, and who one is. */
import type { ReactNode } from "react"
import { Link, useLocation } from "wouter"
import type { SignedIn } from "../api/Session.ts"
import icon from "../icon.svg"
import { useInbox } from "../inbox/InboxQuery.ts"
import { Icon } from "../ui/Icon.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { Tag } from "../ui/Tag.tsx"
import { ConnectionState } from "./ConnectionState.tsx"
import { labelIn } from "./Place.ts"
import { projectPlaces } from "./Places.ts"
import { ProjectSwitcher } from "./ProjectSwitcher.tsx"
import { UserMenu } from "./UserMenu.tsx"

const Environment = ({ environment }: Pick<SignedIn, "environment">): ReactNode =>
  environment === "production" ? null : <Tag tone="warn">{environment}</Tag>

const InboxCount = (): ReactNode => {
  const count = useInbox().data?.items.length ?? 0
  return count === 0 ? null : (
    <span className="count">
      {count}
      <span className="hidden-text"> waiting</span>
    </span>
  )
}

const ProjectTabs = ({ label }: { readonly label: string }): ReactNode => (
  <div className="tabs-row">
    <Tabs label={`Project ${label}`} tabs={projectPlaces(label)} />
  </div>
)

const Brand = (): ReactNode => (
  <Link href="/" className="brand" aria-label="Pawl">
    <img src={icon} alt="" />
    <span className="brand-name">Pawl</span>
  </Link>
)

/** What stands in its place while it is asked who is there. */
export const BarOutline = (): ReactNode => (
  <header className="bar">
    <div className="bar-row">
      <Brand />
    </div>
  </header>
)

/** It stays while screens come and go. */
export const Bar = ({
  showKeys,
  signedIn
}: {
  readonly signedIn: SignedIn
  readonly showKeys: () => void
}): ReactNode => {
  const [path] = useLocation()
  const label = labelIn(path)
  const current = (to: string) => (path === to ? ("page" as const) : undefined)
  return (
    <header className="bar">
      <div className="bar-row">
        <Brand />
        <span className="bar-slash" aria-hidden="true">
          /
        </span>
        <ProjectSwitcher />
        <nav className="bar-links" aria-label="Main">
          <Link href="/" className="bar-link" aria-current={current("/")}>
            <Icon name="inbox" />
            Inbox
            <InboxCount />
          </Link>
          <Link href="/projects" className="bar-link" aria-current={current("/projects")}>
            <Icon name="box" />
            Projects
          </Link>
        </nav>
        <div className="bar-end">
          <Environment environment={signedIn.environment} />
          <ConnectionState />
          <UserMenu signedIn={signedIn} showKeys={showKeys} />
        </div>
      </div>
      {label === null ? null : <ProjectTabs label={label} />}
    </header>
  )
}
