import * as WebhookSender from "@pawl/core/webhook/WebhookSender"
import { webhookSenderContract } from "@pawl/testing/contracts/WebhookSenderContract"

webhookSenderContract("memory", {
  open: (answers) => {
    const url = (path: string) => `https://receiver.example${path}`
    const received: Array<WebhookSender.Received> = []
    const statuses = Object.entries(answers).flatMap(([path, status]) =>
      status === null ? [] : [[url(path), status] as const]
    )
    return Promise.resolve({
      layer: WebhookSender.layerMemory(new Map(statuses), received),
      url,
      received: () => received
    })
  }
})
