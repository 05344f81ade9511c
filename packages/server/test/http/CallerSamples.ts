/** What is asked of each endpoint by those who may not. */
import { newPasskey } from "@pawl/testing/tools/SoftwareAuthenticator"
import { Effect } from "effect"

/** Ids of things that are there, so that only the caller can be what is wrong. */
export interface Ids {
  readonly project: string
  readonly bare: string
  readonly change: string
  readonly task: string
  readonly run: string
  readonly changeSet: string
  readonly candidate: string
  readonly evidence: string
  readonly deadLetter: string
  readonly laneEntry: string
  readonly release: string
  readonly webhook: string
  readonly webhookDelivery: string
  readonly token: string
  readonly session: string
  readonly organization: string
  readonly user: string
  readonly approver: string
}

interface Sample {
  readonly id?: keyof Ids
  readonly body?: (ids: Ids) => unknown
  /** What someone of another organization gets where no Project or organization stands in the path. */
  readonly stranger?: number
}

const passkey = await Effect.runPromise(newPasskey("pawl.test"))

/** Where releases go, in development. */
export const target = { workerName: "shop", workerTag: "tag", url: "https://shop.test" }

/** One request for each endpoint that someone may make. An endpoint that is missing here fails the suite. */
export const samples: Readonly<Record<string, Sample>> = {
  "service.health": {},
  "service.ready": {},
  "/openapi.json": {},
  "/docs": {},
  "projects.create": { body: () => ({ slug: "another" }), stranger: 403 },
  "projects.list": { stranger: 200 },
  "projects.get": { id: "project" },
  "projects.usage": { id: "project" },
  "projects.archive": { id: "project" },
  "projects.source": { id: "bare", body: () => ({ template: "blank" }) },
  "projects.code": { id: "project" },
  "projects.versions": { id: "project" },
  "projects.version": { id: "project" },
  "projects.sbom": { id: "project" },
  "projects.compare": { id: "project" },
  "statements.statement": { id: "project" },
  "statements.statements": { id: "project" },
  "statements.checkpoint": { id: "project" },
  "keys.keys": {},
  "projects.bundle": { id: "project" },
  "projects.vsa": { id: "project" },
  "projects.releases": { id: "project" },
  "apps.get": { id: "project" },
  "apps.deploy": { id: "project" },
  "apps.remove": { id: "project" },
  "changes.create": { id: "project", body: () => ({ clientRequestId: "mine", goal: "a goal", budget_usd: 1 }) },
  "changes.list": { id: "project" },
  "changes.get": { id: "change" },
  "changes.tasks": { id: "change" },
  "changes.modelCalls": { id: "change" },
  "changes.workGraph": { id: "change" },
  "changes.cancel": { id: "change" },
  "changes.budget": { id: "change", body: () => ({ budget_usd: 2 }) },
  "tasks.ofProject": { id: "project" },
  "tasks.get": { id: "task" },
  "tasks.runs": { id: "task" },
  "tasks.turns": { id: "run" },
  "tasks.notes": { id: "task" },
  "tasks.writeNote": { id: "task", body: () => ({ text: "use tabs" }) },
  "tasks.stop": { id: "task" },
  "tasks.retry": { id: "task" },
  "tasks.handOver": { id: "task" },
  "outside.claim": { id: "task" },
  "outside.brief": { id: "run" },
  "outside.renew": { id: "run" },
  "outside.claimPaths": { id: "run", body: () => ({ paths: ["a.txt"] }) },
  "outside.askChecks": { id: "run", body: () => ({}) },
  "outside.checks": { id: "run" },
  "outside.publish": { id: "run", body: () => ({ message: "done" }) },
  "outside.giveUp": { id: "run", body: () => ({ reason: "too hard" }) },
  "changesets.create": { id: "change", body: () => ({ message: "mine", files: { "a.txt": "a" } }) },
  "changesets.list": { id: "change" },
  "changesets.get": { id: "changeSet" },
  "changesets.diff": { id: "changeSet" },
  "candidates.create": { id: "change", body: () => ({}) },
  "candidates.list": { id: "change" },
  "candidates.get": { id: "candidate" },
  "candidates.evidence": { id: "candidate" },
  "candidates.output": { id: "evidence" },
  "candidates.diff": { id: "candidate" },
  "candidates.why": { id: "candidate" },
  "candidates.preview": { id: "candidate" },
  "candidates.promote": { id: "candidate" },
  "approvals.list": { id: "change" },
  "approvals.challenge": { id: "candidate" },
  "approvers.list": { stranger: 200 },
  "approvers.enrol": {
    body: () => ({ credential: passkey.credential, publicKey: passkey.publicKey, rpId: passkey.rpId }),
    stranger: 409
  },
  "approvers.remove": { id: "approver" },
  "approvals.approve": { id: "change", body: (ids) => ({ candidateId: ids.candidate, decision: "granted" }) },
  "releases.get": { id: "release" },
  "releases.injectFailure": { id: "project" },
  "releases.getTarget": { id: "project" },
  "releases.putTarget": { id: "project", body: () => target },
  "releases.deleteTarget": { id: "project" },
  "rollbacks.plan": { id: "project", body: () => ({ targetGeneration: 0 }) },
  "rollbacks.create": { id: "project", body: () => ({ targetGeneration: 0, expectedGeneration: 1 }) },
  "claims.list": { id: "project" },
  "flakes.list": { id: "project" },
  "lane.get": { id: "project" },
  "lane.land": { id: "change", body: () => ({}) },
  "lane.leave": { id: "change" },
  "lane.entry": { id: "laneEntry" },
  "lane.move": { id: "laneEntry", body: () => ({}) },
  "lane.pause": { id: "project", body: () => ({ reason: "a look at it" }) },
  "lane.resume": { id: "project" },
  "reviews.list": { id: "change" },
  "audits.run": { id: "project" },
  "audits.rebuild": { id: "project", body: () => ({ generation: 0 }) },
  "audits.get": { id: "project" },
  "policies.get": { id: "project" },
  "policies.versions": { id: "project" },
  "policies.backtest": { id: "project", body: () => ({ approvalRiskTiers: [] }) },
  "policies.put": { id: "project", body: () => ({ approvalRiskTiers: [] }) },
  "members.get": { id: "project" },
  "members.put": { id: "project", body: () => ({ members: [] }) },
  "apps.logs": { id: "project" },
  "events.list": { id: "project" },
  "history.ofChange": { id: "change" },
  "history.ofProject": { id: "project" },
  "deadLetters.list": { id: "project" },
  "deadLetters.ofDirectory": { stranger: 403 },
  "deadLetters.retry": { id: "deadLetter" },
  "deadLetters.dismiss": { id: "deadLetter" },
  "webhooks.create": { id: "project", body: () => ({ url: "https://receiver.example/hook" }) },
  "webhooks.list": { id: "project" },
  "webhooks.remove": { id: "webhook" },
  "webhooks.change": { id: "webhook", body: () => ({ paused: true }) },
  "webhooks.rotateSecret": { id: "webhook", body: () => ({}) },
  "webhooks.deliveries": { id: "webhook" },
  "webhooks.ping": { id: "webhook" },
  "webhooks.redeliver": { id: "webhookDelivery" },
  "account.me": { stranger: 200 },
  "account.capabilities": { stranger: 200 },
  "account.tokens": { stranger: 200 },
  "account.issueToken": { body: () => ({ name: "mine" }), stranger: 201 },
  "account.revokeToken": { id: "token" },
  "inbox.inbox": { stranger: 200 },
  "inbox.changesOfState": { stranger: 200 },
  "signIn.methods": {},
  "signIn.begin": {},
  "signIn.end": {},
  "signIn.oidcStart": {},
  "signIn.oidcCallback": {},
  "sessions.current": { stranger: 200 },
  "sessions.list": { stranger: 200 },
  "sessions.link": { stranger: 201 },
  "sessions.revoke": { id: "session" },
  "devices.offer": {},
  "devices.token": {},
  "deviceAnswers.confirm": { body: () => ({ userCode: "BCDF-GHJK" }), stranger: 400 },
  "organizations.create": { body: () => ({ name: "Mine" }), stranger: 201 },
  "organizations.list": { stranger: 200 },
  "organizations.members": { id: "organization" },
  "organizations.putMembers": {
    id: "organization",
    body: (ids) => ({ members: [{ userId: ids.user, role: "owner" }] })
  },
  "system.findings": { stranger: 403 },
  "system.get": { stranger: 403 },
  "users.list": { stranger: 200 },
  "users.disable": { id: "user" },
  "users.tokens": { id: "user" },
  "users.create": { body: () => ({ name: "mine" }), stranger: 403 }
}
