/** `/p/:label/settings/webhooks/:webhook`: one webhook, what it was told, and how that went. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useLocation, useParams } from "wouter"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import { useProjectHere } from "../project/Here.ts"
import { SettingsScreen } from "../settings/SettingsScreen.tsx"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Id } from "../ui/Id.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { Deliveries, deliveriesKey } from "./Deliveries.tsx"
import { ChangeWebhook } from "./ChangeWebhook.tsx"
import { NewSecret } from "./NewSecret.tsx"
import { type Webhook, webhooksKey, webhooksOf } from "./WebhookQuery.ts"
import "./webhook.css"

const About = ({
  webhook: { createdAt, eventTypes, format, id, pausedAt, url }
}: {
  readonly webhook: Webhook
}): ReactNode => (
  <Card>
    <Facts
      of={{
        Address: <span className="webhook-url">{url}</span>,
        Id: <Id id={id} label="webhook" />,
        Paused: pausedAt == null ? null : <Time at={pausedAt} />,
        Format: format === "slack" ? "a line for Slack" : "the events, signed",
        "Told of":
          eventTypes === null ? (
            format === "slack" ? (
              "what waits for a person, and what went wrong"
            ) : (
              "all events"
            )
          ) : (
            <span className="tags webhook-types">
              {eventTypes.map((type) => (
                <Tag key={type}>{type}</Tag>
              ))}
            </span>
          ),
        Since: <Time at={createdAt} />
      }}
    />
  </Card>
)

const useActions = (webhook: string, projectId: string, left: () => void) => {
  const client = useQueryClient()
  const params = { id: webhook }
  const ping = useMutation({
    mutationFn: () => api.webhooks.ping({ params }),
    onSuccess: () => {
      announce("A test message is on its way")
      void client.invalidateQueries({ queryKey: deliveriesKey(projectId, webhook) })
    }
  })
  const pause = useMutation({
    mutationFn: (paused: boolean) => api.webhooks.change({ params, payload: { paused } }),
    onSuccess: ({ webhook: { pausedAt } }) => {
      announce(pausedAt == null ? "What waited is on its way" : "Nothing is sent until it is resumed")
      void client.invalidateQueries({ queryKey: webhooksKey(projectId) })
    }
  })
  const remove = useMutation({
    mutationFn: () => api.webhooks.remove({ params }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: webhooksKey(projectId) })
      announce("The webhook is deleted")
      left()
    }
  })
  return { pause, ping, remove }
}

type Asked = "rotate" | "remove" | "change"

/** What may be done with it, and what came of that. */
const Acts = ({
  ask,
  pause,
  ping,
  webhook
}: Pick<ReturnType<typeof useActions>, "pause" | "ping"> & {
  readonly webhook: Webhook
  readonly ask: (what: Asked) => void
}): ReactNode => {
  const isPaused = webhook.pausedAt != null
  return (
    <>
      <div className="row">
        <Button icon="run" busy={ping.isPending} onClick={() => ping.mutate()}>
          Send a test
        </Button>
        <Button
          busy={pause.isPending}
          why={webhook.active ? null : "Its receiver wanted nothing any more."}
          onClick={() => pause.mutate(!isPaused)}
        >
          {isPaused ? "Resume" : "Pause"}
        </Button>
        <Button why={webhook.active ? null : "Its receiver wanted nothing any more."} onClick={() => ask("change")}>
          Change
        </Button>
        <Button icon="key" onClick={() => ask("rotate")}>
          New secret
        </Button>
        <Button look="danger" onClick={() => ask("remove")}>
          Delete
        </Button>
      </div>
      {ping.error === null ? null : <Problem of={ping.error} />}
      {pause.error === null ? null : <Problem of={pause.error} />}
      {isPaused ? (
        <Notice tone="warn" icon="warn">
          It is paused: nothing but tests is sent. What happens meanwhile waits, and is sent once it is resumed.
        </Notice>
      ) : null}
    </>
  )
}

const One = ({ webhook }: { readonly webhook: Webhook }): ReactNode => {
  const { id: projectId, label } = useProjectHere()
  const [, go] = useLocation()
  const [asked, setAsked] = useState<Asked | null>(null)
  const { pause, ping, remove } = useActions(webhook.id, projectId, () => go(`/p/${label}/settings/webhooks`))
  const close = () => setAsked(null)
  return (
    <>
      <Acts webhook={webhook} ping={ping} pause={pause} ask={setAsked} />
      <About webhook={webhook} />
      <Deliveries projectId={projectId} webhookId={webhook.id} />
      {asked === "rotate" ? <NewSecret webhook={webhook.id} onClose={close} /> : null}
      {asked === "change" ? <ChangeWebhook webhook={webhook} projectId={projectId} onClose={close} /> : null}
      {asked === "remove" ? (
        <Confirm
          title="Delete this webhook?"
          act="Delete it"
          isBusy={remove.isPending}
          error={remove.error}
          onClose={close}
          onConfirm={() => remove.mutate()}
        >
          <p>What waits to be delivered is not sent.</p>
        </Confirm>
      ) : null}
    </>
  )
}

/** The webhook of the address. */
export default function WebhookScreen(): ReactNode {
  const { id, label } = useProjectHere()
  const { webhook } = useParams<{ webhook: string }>()
  const query = useAnswer(webhooksKey(id), (options) => webhooksOf(id, options))
  return (
    <SettingsScreen title="Webhook" lead="What it was told, and how that went.">
      <Answered query={query}>
        {(all) => {
          const found = all.find((each) => each.id === webhook)
          return found === undefined ? (
            <Card bare>
              <Empty icon="link" title="There is no such webhook">
                <p>It may have been deleted.</p>
                <LinkButton to={`/p/${label}/settings/webhooks`}>All webhooks</LinkButton>
              </Empty>
            </Card>
          ) : (
            <One webhook={found} />
          )
        }}
      </Answered>
    </SettingsScreen>
  )
}
