/** `/p/:label/settings/app`: where the app is, and the ends that cannot be taken back. */
import { useApp } from "../project/ProjectQueries.ts"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import type { Answer } from "../api/Wire.ts"
import { useProjectHere } from "../project/Here.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Outside } from "../ui/Outside.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Status } from "../ui/Status.tsx"
import { Time } from "../ui/Time.tsx"
import { ArchiveCard } from "./ArchiveCard.tsx"
import { ReleaseTargetCard } from "./ReleaseTargetCard.tsx"
import { SettingsScreen } from "./SettingsScreen.tsx"

type App = NonNullable<Answer<"apps", "get">["app"]>

const AppFacts = ({ app: { generation, label, reason, status, updatedAt, url } }: { readonly app: App }): ReactNode => (
  <Facts
    of={{
      Status: <Status of={status} />,
      Why: reason,
      Host: <Outside to={url}>{new URL(url).host}</Outside>,
      Label: <code>{label}</code>,
      Serves: generation === null ? null : `S${generation}`,
      Moved: <Time at={updatedAt} />
    }}
  />
)

const AppActions = ({ app }: { readonly app: App | null }): ReactNode => {
  const { id, label } = useProjectHere()
  const client = useQueryClient()
  const [isRemoving, setRemoving] = useState(false)
  const stale = () => client.invalidateQueries({ queryKey: keys.project(id) })
  const deploy = useMutation({
    mutationFn: () => api.apps.deploy({ params: { id } }),
    onSuccess: () => {
      announce("The app is being deployed")
      return stale()
    }
  })
  const remove = useMutation({
    mutationFn: () => api.apps.remove({ params: { id } }),
    onSuccess: () => {
      announce("The app is removed")
      setRemoving(false)
      return stale()
    }
  })
  const isThere = app !== null && app.status !== "removed"
  return (
    <>
      {deploy.error === null ? null : <Problem of={deploy.error} />}
      <div className="row">
        <Button busy={deploy.isPending} onClick={() => deploy.mutate()}>
          {isThere ? "Release the head again" : "Deploy the head"}
        </Button>
        {isThere ? (
          <Button look="danger" onClick={() => setRemoving(true)}>
            Remove the app
          </Button>
        ) : null}
      </div>
      {isRemoving ? (
        <Confirm
          title="Remove the app?"
          act="Remove the app"
          name={label}
          isBusy={remove.isPending}
          error={remove.error}
          onClose={() => setRemoving(false)}
          onConfirm={() => remove.mutate()}
        >
          <p>
            Every host of it, previews and versions too, answers 410 from the next request on. Its data and its bundles
            are deleted, for good. The Project stays, and can be deployed again.
          </p>
        </Confirm>
      ) : null}
    </>
  )
}

const AppCard = (): ReactNode => {
  const { id, status } = useProjectHere()
  const query = useApp(id)
  return (
    <Card title="App">
      <Answered query={query} lines={4}>
        {({ app, enabled }) => (
          <div className="stack">
            {app === null ? (
              <p>{enabled ? "It was not deployed yet." : "No apps are hosted here."}</p>
            ) : (
              <AppFacts app={app} />
            )}
            {enabled && status !== "archived" ? <AppActions app={app} /> : null}
          </div>
        )}
      </Answered>
    </Card>
  )
}

/** The app, the release target where there is one, and the end of the Project. */
export default function AppScreen(): ReactNode {
  return (
    <SettingsScreen title="App and Project" lead="Where it is served, and what ends it.">
      <div className="in-turn">
        <AppCard />
        <ReleaseTargetCard />
        <ArchiveCard />
      </div>
    </SettingsScreen>
  )
}
