/** What a Project does not allow, and what can be heard of it. */
import { conflict, problemOf, type Rows } from "./Row.ts"

/** Refusals of Projects, their source and their webhooks. */
export const projectProblems = {
  SlugTaken: ({ message, slug }) => conflict("slug_taken", "The slug is taken", message, { slug }),
  ProjectArchived: ({ message, projectId }) =>
    conflict("project_archived", "The Project is archived", message, { projectId }),
  PolicyChanged: ({ message, tag }) =>
    problemOf(412, "precondition_failed", "Somebody else changed it", message, { tag }),
  PolicyStale: ({ expectedVersion, message, version }) =>
    conflict("stale", "Somebody else changed the Policy", message, { expectedVersion, version }),
  HasSource: ({ message }) => conflict("has_source", "The Project has a source", message),
  NoSource: ({ message, projectId }) =>
    conflict(
      "no_source",
      "The Project has no source",
      `${message} Seed it with POST /v1/projects/${projectId}/source.`
    ),
  ImportRefused: ({ message }) =>
    problemOf(400, "import_refused", "The source cannot be imported", message, { field: "import" }),
  ImportUnavailable: ({ message }) =>
    problemOf(503, "import_unavailable", "The source cannot be imported now", message, { retryAfterSeconds: 5 }),
  WebhookInactive: ({ message, webhookId }) =>
    conflict("webhook_inactive", "The webhook is inactive", message, { webhookId }),
  WebhookPaused: ({ message, webhookId }) =>
    conflict("webhook_paused", "The webhook is paused", message, { webhookId }),
  WebhookLimit: ({ max, message }) => conflict("webhook_limit", "No more webhooks", message, { max })
} satisfies Partial<Rows>
