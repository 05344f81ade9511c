/** What a Release looks like as a deployment of GitHub. Pure. */
import { described } from "./CommitStatuses.ts"
import type { App, Release } from "./PawlApi.ts"

export interface DeploymentState {
  readonly state: "queued" | "in_progress" | "success" | "failure" | "inactive"
  readonly description: string
  /** Where the app is; empty for what is not live. */
  readonly environment_url: string
}

const told = (state: DeploymentState["state"], description: string, url = ""): DeploymentState => ({
  state,
  description: described(description),
  environment_url: url
})

const deployed = ({ generation }: Release, { app, enabled }: App): DeploymentState => {
  // Where no apps are hosted the release is one to a target elsewhere, and whether it is the newest is not known here.
  if (!enabled) return told("success", `S${generation} is deployed`)
  if (app === null || app.status === "removed") return told("inactive", "the app was removed")
  if (app.generation === generation) return told("success", `S${generation} is live`, app.url)
  return told("inactive", app.generation === null ? "it is not served any more" : `S${app.generation} is live instead`)
}

const rolledBack = ({ generation }: Release, { app }: App): string => {
  const now = app?.generation ?? null
  return now === null || now === generation ? "" : `; S${now} is live again`
}

/** As it stands now: whatever was told before, this is what there is to say. */
export const deploymentState = (release: Release, app: App): DeploymentState => {
  switch (release.status) {
    case "queued":
      return told("queued", `S${release.generation} is promoted`)
    case "building":
      return told("in_progress", `S${release.generation} is built, served and probed`)
    case "deployed":
      return deployed(release, app)
    case "smoke_failed":
      return told("failure", `S${release.generation} failed its smoke test${rolledBack(release, app)}`)
    case "superseded":
      return told("inactive", "a newer generation was promoted before it was live")
    default:
      return told("failure", release.reason ?? `the release of S${release.generation} failed`)
  }
}
