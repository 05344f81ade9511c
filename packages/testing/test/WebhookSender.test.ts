import * as MemoryWebhookSender from "@pawl/adapters-memory/MemoryWebhookSender"
import { webhookSenderContract } from "@pawl/testing/contracts/WebhookSenderContract"

webhookSenderContract("memory", {
  open: (answers) => {
    const url = (path: string) => `https://receiver.example${path}`
    const received: Array<MemoryWebhookSender.Received> = []
    const statuses = Object.entries(answers).flatMap(([path, status]) =>
      status === null ? [] : [[url(path), status] as const]
    )
    return Promise.resolve({
      layer: MemoryWebhookSender.layerMemory(new Map(statuses), received),
      url,
      received: () => received
    })
  }
})
