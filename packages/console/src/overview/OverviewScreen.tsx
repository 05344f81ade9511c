/** `/p/<label>`: what is live, what waits, what happened last, and what it costs. */
import type { ReactNode } from "react"
import { useApp, useProjectOf } from "../project/ProjectQueries.ts"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Id } from "../ui/Id.tsx"
import { Notice } from "../ui/Notice.tsx"
import { LaneStrip } from "./LaneStrip.tsx"
import { LastGenerations } from "./LastGenerations.tsx"
import { LiveCard } from "./LiveCard.tsx"
import { useOpenWork } from "./OpenWork.ts"
import { SeedCard } from "./SeedCard.tsx"
import { UsageCard } from "./UsageCard.tsx"
import { WorkCard } from "./WorkCard.tsx"
import "./overview.css"

const Removed = (): ReactNode => {
  const { id } = useProjectHere()
  return useApp(id).data?.app?.status === "removed" ? (
    <Notice tone="idle" icon="stop">
      The app was removed: its hosts answer 410, and its data and bundles are deleted. Deploying makes a new one.
    </Notice>
  ) : null
}

const Parts = ({ head }: { readonly head: number }): ReactNode => {
  const { id, status } = useProjectHere()
  const isUnknown = useOpenWork(id).isPending
  return (
    <>
      {status === "archived" ? null : <Removed />}
      <div className="overview">
        <div className="overview-main">
          {status === "archived" ? null : <LiveCard head={head} />}
          <WorkCard />
          {/* Nobody knows how tall the work is before it is there: what stands below would move. */}
          <div hidden={isUnknown}>
            <LastGenerations head={head} />
          </div>
        </div>
        <div className="overview-side">
          <LaneStrip />
          <UsageCard />
        </div>
      </div>
    </>
  )
}

/** The Project at a glance. */
export default function OverviewScreen(): ReactNode {
  const { id, label, name } = useProjectHere()
  const project = useProjectOf(id)
  return (
    <Screen
      title={name}
      lead={
        <>
          {label} <Id id={id} label="Project" />
        </>
      }
    >
      <Answered query={project}>
        {({ canonical }) => (canonical === null ? <SeedCard /> : <Parts head={canonical.generation} />)}
      </Answered>
    </Screen>
  )
}
