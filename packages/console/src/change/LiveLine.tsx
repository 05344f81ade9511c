/** Whether what was promoted is live. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { releaseOf } from "../generation/ReleaseQuery.ts"
import { Answered } from "../ui/Answered.tsx"
import { Outside } from "../ui/Outside.tsx"
import { Status } from "../ui/Status.tsx"
import { goingOf } from "./Going.ts"
import { useWatching } from "./Watching.ts"

/** Of one generation of a Project. It says live when the server's app does. */
export const LiveLine = ({
  generation,
  label,
  projectId
}: {
  readonly projectId: string
  readonly label: string | null
  readonly generation: number
}): ReactNode => {
  const key = keys.ofProject(projectId, "live", String(generation))
  const query = useAnswer(key, async (options) => {
    const [{ app }, release] = await Promise.all([
      api.apps.get({ params: { id: projectId } }, options),
      releaseOf(projectId, generation, options)
    ])
    return { app, ...goingOf(generation, app, release) }
  })
  useWatching([key], query.data?.status === "releasing")
  return (
    <Answered query={query} lines={1}>
      {({ app, status, words }) => (
        <div className="live-line">
          <Status of={status} words={words} />
          {status === "live" && app !== null ? <Outside to={app.url}>{new URL(app.url).host}</Outside> : null}
          {label === null ? null : <Link href={`/p/${label}/generations/${generation}`}>Its evidence page</Link>}
        </div>
      )}
    </Answered>
  )
}
