/**
 * Shows on GitHub what Pawl did: commit statuses at pull requests, deployments of what is live.
 *
 *   PAWL_URL=https://pawl.example PAWL_TOKEN=… PAWL_WEBHOOK_SECRET=whsec_… \
 *     GITHUB_REPOSITORY=owner/name GITHUB_TOKEN=… npm start
 *
 * How to set it up: docs/operating/github.md.
 */
import type { AddressInfo } from "node:net"
import { mirror } from "./Mirror.ts"
import { receiver } from "./Receiver.ts"
import { BadSetting, type Settings, settingsOf } from "./Settings.ts"

const read = (): Settings => {
  try {
    return settingsOf(process.env)
  } catch (problem) {
    if (!(problem instanceof BadSetting)) throw problem
    console.error(problem.message)
    process.exit(2)
  }
}

const settings = read()
const server = receiver({
  secret: settings.pawl.secret,
  work: (event, signal) => mirror(settings, event, signal),
  log: (line) => console.error(JSON.stringify(line))
})
server.listen(settings.port, settings.host, () => {
  console.log(`ready http://${settings.host}:${(server.address() as AddressInfo).port}`)
})
// What is being worked on ends first.
process.once("SIGTERM", () => server.close())
process.once("SIGINT", () => server.close())
