/** `/projects`: all that I may see, and the way to make one. */
import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { usePages } from "../api/Queries.ts"
import { useConnection } from "../live/Live.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import type { Project } from "./ByLabel.ts"
import { NewProject } from "./NewProject.tsx"
import { Head, LiveApp, OpenChanges } from "./ProjectFacts.tsx"
import { lookMs } from "./ProjectQueries.ts"
import "./projects.css"

const pageSize = 50

/** What a row shows beside the Project itself: one request tells it of all. */
const include = "head,app,counts"

const columns: ReadonlyArray<Column<Project>> = [
  {
    title: "Project",
    isMain: true,
    of: ({ label, name }) => (
      <div className="project-name">
        <Link href={`/p/${label}`} data-row>
          {name}
        </Link>
        <small>{label}</small>
      </div>
    )
  },
  { title: "Status", of: ({ status }) => <Status of={status} /> },
  { title: "Head", of: (project) => <Head project={project} /> },
  { title: "Live app", of: (project) => <LiveApp project={project} /> },
  { title: "Open Changes", align: "end", of: (project) => <OpenChanges project={project} /> },
  { title: "Moved", align: "end", of: ({ updatedAt }) => <Time at={updatedAt} /> }
]

const None = ({ make }: { readonly make: () => void }): ReactNode => (
  <Card bare>
    <Empty icon="box" title="There are no Projects yet">
      <p>Make one from a template. It is built, checked and served within a minute.</p>
      <Button look="primary" icon="plus" onClick={make}>
        New Project
      </Button>
    </Empty>
  </Card>
)

/** The Projects. */
export default function ProjectsScreen(): ReactNode {
  const [isMaking, setMaking] = useState(false)
  const isLive = useConnection().is === "live"
  const make = () => setMaking(true)
  const projects = usePages<Project>(
    [...keys.projects, "pages"],
    (cursor, options) =>
      api.projects.list({ query: { limit: pageSize, include, ...(cursor === undefined ? {} : { cursor }) } }, options),
    { look: (rows) => (!isLive && rows.some(({ app }) => app?.status === "building") ? lookMs : false) }
  )
  return (
    <Screen
      title="Projects"
      lead="Each is one application with its source, and one line of generations."
      actions={
        <Button look="primary" icon="plus" onClick={make}>
          New Project
        </Button>
      }
    >
      <Answered query={projects}>
        {({ pages }) => {
          const rows = pages.flatMap(({ items }) => items)
          return rows.length === 0 ? (
            <None make={make} />
          ) : (
            <Card bare>
              <Table caption="Projects" columns={columns} rows={rows} keyOf={({ id }) => id} />
            </Card>
          )
        }}
      </Answered>
      {projects.hasNextPage ? (
        <Button busy={projects.isFetchingNextPage} onClick={() => void projects.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
      {isMaking ? <NewProject onClose={() => setMaking(false)} /> : null}
    </Screen>
  )
}
