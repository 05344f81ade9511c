/** What a row of the Projects asks for itself: the list of the API has neither head nor app. */
import { useApp, useProjectOf } from "./ProjectQueries.ts"
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { Outside } from "../ui/Outside.tsx"
import { Status } from "../ui/Status.tsx"
import { openStatuses } from "../change/ChangeFilters.ts"
import type { Project } from "./ByLabel.ts"

/** What is shown where an answer is missing. */
const shown = <A,>({ data, error }: UseQueryResult<A>, show: (answer: A) => ReactNode): ReactNode => {
  if (data !== undefined) return show(data)
  return error === null ? <span aria-hidden="true">…</span> : <span title={error.message}>unknown</span>
}

interface Of {
  readonly project: Project
}

/** The newest generation. */
export const Head = ({ project }: Of): ReactNode => {
  const { id, label } = project
  const query = useProjectOf(id)
  return shown(query, ({ canonical }) =>
    canonical === null ? (
      <span>no source</span>
    ) : (
      <Link href={`/p/${label}/generations/${canonical.generation}`}>S{canonical.generation}</Link>
    )
  )
}

const hostOf = (url: string): string => new URL(url).host

/** Where the app is, and whether it is live. */
export const LiveApp = ({ project: { id } }: Of): ReactNode => {
  const query = useApp(id)
  return shown(query, ({ app }) => {
    if (app === null) return <Status of="none" />
    return app.status === "live" ? <Outside to={app.url}>{hostOf(app.url)}</Outside> : <Status of={app.status} />
  })
}

const counted = 100

/** Changes that are not over. */
export const OpenChanges = ({ project }: Of): ReactNode => {
  const { id, label } = project
  const query = useAnswer(keys.ofProject(id, "changes", "count"), async (options) => {
    const query = { limit: counted, status: openStatuses }
    return (await api.changes.list({ params: { id }, query }, options)).items.length
  })
  return shown(query, (count) => <Link href={`/p/${label}/changes`}>{count === counted ? `${counted}+` : count}</Link>)
}
