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
import { Problem } from "../ui/Problem.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { Deliveries, deliveriesKey } from "./Deliveries.tsx"
import { SigningSecret } from "./SigningSecret.tsx"
import { type Webhook, webhooksKey, webhooksOf } from "./WebhookQuery.ts"
import "./webhook.css"

const About = ({ webhook: { createdAt, eventTypes, id, url } }: { readonly webhook: Webhook }): ReactNode => (
  <Card>
    <Facts
      of={{
        Address: <span className="webhook-url">{url}</span>,
        Id: <Id id={id} label="webhook" />,
        "Told of":
          eventTypes === null ? (
            "all events"
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
  const rotate = useMutation({ mutationFn: () => api.webhooks.rotateSecret({ params }) })
  const remove = useMutation({
    mutationFn: () => api.webhooks.remove({ params }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: webhooksKey(projectId) })
      announce("The webhook is deleted")
      left()
    }
  })
  return { ping, rotate, remove }
}

const One = ({ webhook }: { readonly webhook: Webhook }): ReactNode => {
  const { id: projectId, label } = useProjectHere()
  const [, go] = useLocation()
  const [asked, setAsked] = useState<"rotate" | "remove" | null>(null)
  const { ping, remove, rotate } = useActions(webhook.id, projectId, () => go(`/p/${label}/settings/webhooks`))
  const close = () => {
    setAsked(null)
    rotate.reset()
  }
  return (
    <>
      <div className="row">
        <Button icon="run" busy={ping.isPending} onClick={() => ping.mutate()}>
          Send a test
        </Button>
        <Button icon="key" onClick={() => setAsked("rotate")}>
          New secret
        </Button>
        <Button look="danger" onClick={() => setAsked("remove")}>
          Delete
        </Button>
      </div>
      {ping.error === null ? null : <Problem of={ping.error} />}
      <About webhook={webhook} />
      <Deliveries projectId={projectId} webhookId={webhook.id} />
      {asked === "rotate" && rotate.data === undefined ? (
        <Confirm
          title="Give it a new secret?"
          act="Make a new secret"
          isBusy={rotate.isPending}
          error={rotate.error}
          onClose={close}
          onConfirm={() => rotate.mutate()}
        >
          <p>For 24 hours deliveries carry the signatures of both, so that the receiver can change over.</p>
        </Confirm>
      ) : null}
      {rotate.data === undefined ? null : (
        <SigningSecret title="Its new secret" secret={rotate.data.secret} onClose={close}>
          <p>The one before signs beside it for 24 hours.</p>
        </SigningSecret>
      )}
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
