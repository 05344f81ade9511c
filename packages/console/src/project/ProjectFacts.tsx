/** What a row of the Projects shows beside its names: the list tells it with each Project. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { Outside } from "../ui/Outside.tsx"
import { Status } from "../ui/Status.tsx"
import type { Project } from "./ByLabel.ts"

interface Of {
  readonly project: Project
}

/** The newest generation. */
export const Head = ({ project: { head, label } }: Of): ReactNode =>
  head == null ? (
    <span>no source</span>
  ) : (
    <Link href={`/p/${label}/generations/${head.generation}`}>S{head.generation}</Link>
  )

const hostOf = (url: string): string => new URL(url).host

/** Where the app is, and whether it is live. */
export const LiveApp = ({ project: { app } }: Of): ReactNode => {
  if (app == null) return <Status of="none" />
  return app.status === "live" ? <Outside to={app.url}>{hostOf(app.url)}</Outside> : <Status of={app.status} />
}

/** Changes that are not over, and those of them that wait in the lane. */
export const OpenChanges = ({ project: { counts, label } }: Of): ReactNode => {
  const { laneEntries = 0, openChanges = 0 } = counts ?? {}
  return (
    <>
      <Link href={`/p/${label}/changes?status=open`}>{openChanges}</Link>
      {laneEntries === 0 ? null : <Link href={`/p/${label}/lane`}> {laneEntries} in the lane</Link>}
    </>
  )
}
