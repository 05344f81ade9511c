/** `/changes/:id`: what is wanted, where it stands, what is next, and its tabs. */
import { type ReactNode, Suspense } from "react"
import { Link, useParams } from "wouter"
import { keys } from "../api/Keys.ts"
import { NoScreen } from "../shell/NoScreen.tsx"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Id } from "../ui/Id.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { Status } from "../ui/Status.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { type ChangeTab, ChangeTabLinks, changeTabs } from "./ChangeTabs.tsx"
import { isUnderWay } from "./Current.ts"
import { useNames } from "./Names.ts"
import { titleOf } from "./Next.ts"
import { NextPanel } from "./NextPanel.tsx"
import { useChange } from "./Queries.ts"
import type { Change } from "./Records.ts"
import { shownStatus } from "./ShownStatus.ts"
import { type StandingHere, useStanding } from "./StandingHere.ts"
import { useWatching } from "./Watching.ts"
import "./change.css"

const Lead = ({ change, here }: { readonly change: Change; readonly here: StandingHere }): ReactNode => {
  const label = here.project?.project.label ?? null
  const name = useNames(change.projectId)
  return (
    <div className="change-lead">
      <Status {...(here.isKnown ? shownStatus(change, here.at.candidate, here.at.why) : { of: change.status })} />
      {change.kind === "rollback" ? <Tag>rollback to S{change.rollbackTarget}</Tag> : null}
      {label === null ? null : <Link href={`/p/${label}/changes`}>{label}</Link>}
      {label === null || change.laneEntryId == null ? null : <Link href={`/p/${label}/lane`}>in the lane</Link>}
      <span>
        opened by {name(change.createdBy.id)} <Time at={change.createdAt} />
      </span>
      <Id id={change.id} label="Change" />
    </div>
  )
}

const Frame = ({ change, open }: { readonly change: Change; readonly open: ChangeTab }): ReactNode => {
  const here = useStanding(change)
  const candidate = here.at.candidate
  useWatching([keys.change(change.id), ["candidate"]], isUnderWay(change, candidate))
  return (
    <Screen title={titleOf(change.goal)} lead={<Lead change={change} here={here} />}>
      <NextPanel here={here} />
      {/* What is next takes as much room as it has words: what stands below is shown when that is known, and does not move. */}
      <div className="change-parts" data-waits={!here.isKnown && here.error === null}>
        <ChangeTabLinks id={change.id} open={open.name} />
        <Suspense fallback={<Skeleton />}>
          <open.tab changeId={change.id} candidateId={candidate?.id ?? null} />
        </Suspense>
      </div>
    </Screen>
  )
}

/** A tab that there is not is no screen. */
export default function ChangeScreen(): ReactNode {
  const { id, tab = "" } = useParams<{ readonly id: string; readonly tab?: string | undefined }>()
  const query = useChange(id)
  const open = changeTabs.find(({ name }) => name === tab)
  if (open === undefined) return <NoScreen />
  if (query.data !== undefined) return <Frame change={query.data.change} open={open} />
  return (
    <Screen title="Change">
      <Answered query={query}>{() => null}</Answered>
    </Screen>
  )
}
