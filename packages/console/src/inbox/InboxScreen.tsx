/** `/`: what waits for me, and nothing else. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { NotificationButton } from "../notification/NotificationButton.tsx"
import type { Project } from "../project/ByLabel.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Status } from "../ui/Status.tsx"
import { Time } from "../ui/Time.tsx"
import type { InboxItem } from "./InboxItems.ts"
import { type Inbox, useInbox, useRecentProjects } from "./InboxQuery.ts"
import { RecentPromotions } from "./RecentPromotions.tsx"
import "./inbox.css"

const Item = ({ at, label, status, title, to, why }: InboxItem): ReactNode => (
  <li className="inbox-item">
    <Status of={status} />
    <div className="inbox-what">
      <Link href={to} className="inbox-link" data-row>
        {title}
      </Link>
      <p>{why}</p>
    </div>
    <div className="inbox-where">
      <Link href={`/p/${label}`}>{label}</Link>
      <Time at={at} />
    </div>
  </li>
)

const Nothing = ({ isPart }: Pick<Inbox, "isPart">): ReactNode => (
  <Answered query={useRecentProjects()} lines={3}>
    {(projects) => <NothingOf projects={projects} isPart={isPart} />}
  </Answered>
)

const NothingOf = ({
  isPart,
  projects
}: Pick<Inbox, "isPart"> & { readonly projects: ReadonlyArray<Project> }): ReactNode =>
  projects.length === 0 ? (
    <Card bare>
      <Empty icon="box" title="Begin with a Project">
        <p>A Project is one application with its source. People and agents propose Changes to it; you decide.</p>
        <LinkButton to="/projects" look="primary" icon="plus">
          Make a Project
        </LinkButton>
      </Empty>
    </Card>
  ) : (
    <>
      <Card bare>
        <Empty icon="check" title={isPart ? "Nothing that was looked at waits for you" : "Nothing waits for you"}>
          <p>Approvals that you may give, and whatever stands still or failed, will be listed here.</p>
        </Empty>
      </Card>
      <RecentPromotions projects={projects} />
    </>
  )

const Items = ({ inbox: { isPart, items } }: { readonly inbox: Inbox }): ReactNode => (
  <>
    {isPart ? (
      <Notice tone="idle" icon="dot">
        More may wait: there are more Projects, or more Changes or dead letters in one, than were looked through. The
        pages of a Project list all of its own.
      </Notice>
    ) : null}
    {items.length === 0 ? (
      <Nothing isPart={isPart} />
    ) : (
      <Card bare>
        <ul role="list" className="inbox">
          {items.map((item) => (
            <Item {...item} key={item.key} />
          ))}
        </ul>
      </Card>
    )}
  </>
)

/** The Inbox. `j` and `k` walk through it, Enter opens. */
export default function InboxScreen(): ReactNode {
  const inbox = useInbox()
  return (
    <Screen title="Inbox" lead="What waits for you, over all your Projects." actions={<NotificationButton />}>
      <Answered query={inbox}>{(answer) => <Items inbox={answer} />}</Answered>
    </Screen>
  )
}
