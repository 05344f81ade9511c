/** `/p/:label/settings/webhooks`: addresses outside that are told of what happens here. */
import { type ReactNode, useState } from "react"
import { Link } from "wouter"
import { useAnswer } from "../api/Queries.ts"
import { useProjectHere } from "../project/Here.ts"
import { useWhyNot } from "../project/May.ts"
import { SettingsScreen } from "../settings/SettingsScreen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Status } from "../ui/Status.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { NewWebhook } from "./NewWebhook.tsx"
import { type Webhook, webhooksKey, webhooksOf } from "./WebhookQuery.ts"
import "./webhook.css"

const columns = (label: string): ReadonlyArray<Column<Webhook>> => [
  {
    title: "Address",
    isMain: true,
    of: ({ id, url }) => (
      <Link href={`/p/${label}/settings/webhooks/${id}`} className="webhook-url" data-row>
        {url}
      </Link>
    )
  },
  {
    title: "Told of",
    of: ({ eventTypes }) => (eventTypes === null ? "all events" : `${eventTypes.length} types of events`)
  },
  {
    title: "Status",
    of: ({ active }) => (
      <Status of={active ? "active" : "cancelled"} words={active ? "Is told" : "Gone: it answered 410"} />
    )
  },
  { title: "Since", align: "end", of: ({ createdAt }) => <Time at={createdAt} /> }
]

/** The webhooks, and the way to make one. */
export default function WebhooksScreen(): ReactNode {
  const { id, label } = useProjectHere()
  const why = useWhyNot("webhooks.create")
  const [isMaking, setMaking] = useState(false)
  const webhooks = useAnswer(webhooksKey(id), (options) => webhooksOf(id, options))
  const make = (
    <Button look="primary" icon="plus" why={why} onClick={() => setMaking(true)}>
      New webhook
    </Button>
  )
  return (
    <SettingsScreen title="Webhooks" lead="Each event is one signed POST, tried again for three days." actions={make}>
      <Answered query={webhooks}>
        {(all) => (
          <Card bare>
            {all.length === 0 ? (
              <Empty icon="link" title="Nobody outside is told">
                <p>Make a webhook, and an address of yours hears of Changes, promotions and failures as they happen.</p>
              </Empty>
            ) : (
              <Table caption="Webhooks" columns={columns(label)} rows={all} keyOf={({ id: each }) => each} />
            )}
          </Card>
        )}
      </Answered>
      {isMaking ? <NewWebhook projectId={id} onClose={() => setMaking(false)} /> : null}
    </SettingsScreen>
  )
}
