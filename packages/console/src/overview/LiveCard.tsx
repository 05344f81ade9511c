/** What people of the app see now: which generation, what it was, since when, where, and how its release went. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { type Release, useGeneration, type Version } from "../generation/GenerationQueries.ts"
import { ReleaseState } from "../generation/ReleaseState.tsx"
import { whatOf } from "../generation/Trigger.ts"
import { type App, useApp } from "../project/ProjectQueries.ts"
import { useProjectHere } from "../project/Here.ts"
import { Answered } from "../ui/Answered.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Outside } from "../ui/Outside.tsx"
import { Status } from "../ui/Status.tsx"
import { Time } from "../ui/Time.tsx"
import { DeployButton } from "./DeployButton.tsx"

/** How many probes passed, and the first that did not. */
const Smoke = ({ release }: { readonly release: Release }): ReactNode => {
  if (release.probes.length === 0) return <>not probed</>
  const passed = release.probes.filter(({ result }) => result === "pass").length
  const missed = release.probes.find(({ result }) => result !== "pass")
  return (
    <>
      {passed} of {release.probes.length} probes passed
      {missed === undefined ? null : (
        <>
          ; <code>{missed.path}</code> {missed.detail}
        </>
      )}
    </>
  )
}

const What = ({ version }: { readonly version: Version }): ReactNode =>
  version.changeId === null ? (
    <>{whatOf(version)}</>
  ) : (
    <Link href={`/changes/${version.changeId}`}>{whatOf(version)}</Link>
  )

const Served = ({ app, generation }: { readonly app: NonNullable<App>; readonly generation: number }): ReactNode => {
  const { id, label } = useProjectHere()
  const served = useGeneration(id, generation)
  return (
    <Answered query={served} lines={7}>
      {({ release, version }) => (
        <Facts
          of={{
            Generation: (
              <Link href={`/p/${label}/generations/${generation}`} className="live-n">
                S{generation}
              </Link>
            ),
            What: <What version={version} />,
            Since: <Time at={release?.updatedAt ?? app.updatedAt} />,
            Host: app.url === "" ? "no apps are hosted here" : <Outside to={app.url}>{new URL(app.url).host}</Outside>,
            // What was deployed without a promotion says so: the card is as tall as its outline for all.
            Release: release === null ? "the first deployment" : <ReleaseState of={release} />,
            "Smoke test": release === null ? "not probed" : <Smoke release={release} />
          }}
        />
      )}
    </Answered>
  )
}

/** The newest promotion is not what is served: why. */
const Behind = ({ app, head }: { readonly app: NonNullable<App>; readonly head: number }): ReactNode => {
  const { id } = useProjectHere()
  const newest = useGeneration(id, head)
  if (app.generation === head || newest.data === undefined) return null
  const { release } = newest.data
  const isOnItsWay = app.status === "building" || release?.status === "queued" || release?.status === "building"
  // Before its first version nothing is behind: there is nothing yet.
  if (app.generation === null && isOnItsWay) return null
  return (
    <Notice tone={isOnItsWay ? "run" : "warn"} icon={isOnItsWay ? "run" : "warn"}>
      S{head} is canonical and not what is served. <ReleaseState of={release} /> {release?.reason ?? app.reason ?? ""}
    </Notice>
  )
}

/** Where nothing is served, why. */
const Nothing = ({ app }: { readonly app: NonNullable<App> }): ReactNode => (
  <p>
    {app.status === "building"
      ? `The first version is being built. ${app.url === "" ? "" : `It will be at ${new URL(app.url).host} in a moment.`}`
      : (app.reason ?? "Nothing is served.")}
  </p>
)

const NotLive = ({ enabled }: { readonly enabled: boolean }): ReactNode => (
  <Empty icon="box" title="Nothing is live yet">
    {enabled ? (
      <>
        <p>The source is there. Deploy it: the head is built, served and probed.</p>
        <DeployButton words="Deploy the app" isMain />
      </>
    ) : (
      <p>This server hosts no apps. Set PAWL_APPS_DOMAIN to host them.</p>
    )}
  </Empty>
)

/** `head` is the newest generation. */
export const LiveCard = ({ head }: { readonly head: number }): ReactNode => {
  const { id, label } = useProjectHere()
  const query = useApp(id)
  return (
    <Card
      title="Live"
      actions={query.data?.app == null ? undefined : <Status of={query.data.app.status} />}
      bare={query.data?.app === null}
    >
      <Answered query={query} lines={9}>
        {({ app, enabled }) => {
          if (app === null) return <NotLive enabled={enabled} />
          return (
            <div className="live">
              {app.status === "removed" ? null : <Behind app={app} head={head} />}
              {app.status === "removed" || app.generation === null ? (
                <Nothing app={app} />
              ) : (
                <Served app={app} generation={app.generation} />
              )}
              <div className="live-do">
                {app.status === "building" ? null : (
                  <DeployButton words={app.status === "live" ? "Release the head again" : "Deploy the app"} />
                )}
                {head === 0 ? null : (
                  <LinkButton to={`/p/${label}/rollback?to=${head - 1}`}>Roll back to S{head - 1}</LinkButton>
                )}
              </div>
            </div>
          )
        }}
      </Answered>
    </Card>
  )
}
