/** Made by `npm run docs` from the contract. Do not edit: the next run overwrites it. */

/** Method and path of each endpoint, by group and name. */
export const routes = {
  service: {
    health: ["GET", "/health"],
    ready: ["GET", "/health/ready"]
  },
  projects: {
    create: ["POST", "/v1/projects"],
    list: ["GET", "/v1/projects"],
    get: ["GET", "/v1/projects/:id"],
    archive: ["DELETE", "/v1/projects/:id"],
    source: ["POST", "/v1/projects/:id/source"],
    code: ["GET", "/v1/projects/:id/code"],
    usage: ["GET", "/v1/projects/:id/usage"],
    versions: ["GET", "/v1/projects/:id/versions"],
    version: ["GET", "/v1/projects/:id/versions/:n"],
    compare: ["GET", "/v1/projects/:id/compare"],
    sbom: ["GET", "/v1/projects/:id/versions/:n/sbom"],
    bundle: ["GET", "/v1/projects/:id/versions/:n/bundle"],
    vsa: ["GET", "/v1/projects/:id/versions/:n/vsa"],
    releases: ["GET", "/v1/projects/:id/releases"]
  },
  apps: {
    get: ["GET", "/v1/projects/:id/app"],
    deploy: ["POST", "/v1/projects/:id/app"],
    remove: ["DELETE", "/v1/projects/:id/app"],
    logs: ["GET", "/v1/projects/:id/app/logs"]
  },
  changes: {
    create: ["POST", "/v1/projects/:id/changes"],
    list: ["GET", "/v1/projects/:id/changes"],
    get: ["GET", "/v1/changes/:id"],
    tasks: ["GET", "/v1/changes/:id/tasks"],
    modelCalls: ["GET", "/v1/changes/:id/model-calls"],
    workGraph: ["GET", "/v1/changes/:id/work-graph"],
    cancel: ["POST", "/v1/changes/:id/cancel"],
    budget: ["POST", "/v1/changes/:id/budget"]
  },
  tasks: {
    ofProject: ["GET", "/v1/projects/:id/tasks"],
    get: ["GET", "/v1/tasks/:id"],
    runs: ["GET", "/v1/tasks/:id/runs"],
    turns: ["GET", "/v1/runs/:id/turns"],
    notes: ["GET", "/v1/tasks/:id/notes"],
    writeNote: ["POST", "/v1/tasks/:id/notes"],
    stop: ["POST", "/v1/tasks/:id/stop"],
    retry: ["POST", "/v1/tasks/:id/retry"],
    handOver: ["POST", "/v1/tasks/:id/hand-over"]
  },
  outside: {
    claim: ["POST", "/v1/tasks/:id/claim"],
    brief: ["GET", "/v1/runs/:id/brief"],
    renew: ["POST", "/v1/runs/:id/renew"],
    claimPaths: ["POST", "/v1/runs/:id/claims"],
    askChecks: ["POST", "/v1/runs/:id/checks"],
    checks: ["GET", "/v1/runs/:id/checks"],
    publish: ["POST", "/v1/runs/:id/publish"],
    giveUp: ["POST", "/v1/runs/:id/give-up"]
  },
  changesets: {
    create: ["POST", "/v1/changes/:id/changesets"],
    list: ["GET", "/v1/changes/:id/changesets"],
    get: ["GET", "/v1/changesets/:id"],
    diff: ["GET", "/v1/changesets/:id/diff"]
  },
  candidates: {
    create: ["POST", "/v1/changes/:id/candidates"],
    list: ["GET", "/v1/changes/:id/candidates"],
    get: ["GET", "/v1/candidates/:id"],
    evidence: ["GET", "/v1/candidates/:id/evidence"],
    output: ["GET", "/v1/evidence/:id/output"],
    diff: ["GET", "/v1/candidates/:id/diff"],
    why: ["GET", "/v1/candidates/:id/why"],
    preview: ["GET", "/v1/candidates/:id/preview"],
    promote: ["POST", "/v1/candidates/:id/promote"]
  },
  claims: {
    list: ["GET", "/v1/projects/:id/claims"]
  },
  reviews: {
    list: ["GET", "/v1/changes/:id/reviews"]
  },
  approvals: {
    list: ["GET", "/v1/changes/:id/approvals"],
    approve: ["POST", "/v1/changes/:id/approve"],
    challenge: ["GET", "/v1/candidates/:id/approval-challenge"]
  },
  releases: {
    get: ["GET", "/v1/releases/:id"],
    injectFailure: ["POST", "/v1/projects/:id/releases/inject-failure"],
    getTarget: ["GET", "/v1/projects/:id/release-target"],
    putTarget: ["PUT", "/v1/projects/:id/release-target"],
    deleteTarget: ["DELETE", "/v1/projects/:id/release-target"]
  },
  rollbacks: {
    create: ["POST", "/v1/projects/:id/rollback"],
    plan: ["POST", "/v1/projects/:id/rollback/plan"]
  },
  audits: {
    run: ["POST", "/v1/projects/:id/audit"],
    get: ["GET", "/v1/projects/:id/audit"],
    rebuild: ["POST", "/v1/projects/:id/audit/rebuild"]
  },
  flakes: {
    list: ["GET", "/v1/projects/:id/flakes"]
  },
  lane: {
    land: ["POST", "/v1/changes/:id/land"],
    leave: ["DELETE", "/v1/changes/:id/land"],
    get: ["GET", "/v1/projects/:id/lane"],
    entry: ["GET", "/v1/lane-entries/:id"],
    pause: ["POST", "/v1/projects/:id/lane/pause"],
    resume: ["POST", "/v1/projects/:id/lane/resume"],
    move: ["POST", "/v1/lane-entries/:id/move"]
  },
  policies: {
    get: ["GET", "/v1/projects/:id/policy"],
    versions: ["GET", "/v1/projects/:id/policy/versions"],
    put: ["PUT", "/v1/projects/:id/policy"],
    backtest: ["POST", "/v1/projects/:id/policy/backtest"]
  },
  members: {
    get: ["GET", "/v1/projects/:id/members"],
    put: ["PUT", "/v1/projects/:id/members"]
  },
  events: {
    list: ["GET", "/v1/projects/:id/events"]
  },
  history: {
    ofChange: ["GET", "/v1/changes/:id/history"],
    ofProject: ["GET", "/v1/projects/:id/history"]
  },
  deadLetters: {
    list: ["GET", "/v1/projects/:id/dead-letters"],
    ofDirectory: ["GET", "/v1/dead-letters"],
    retry: ["POST", "/v1/dead-letters/:id/retry"],
    dismiss: ["POST", "/v1/dead-letters/:id/dismiss"]
  },
  webhooks: {
    create: ["POST", "/v1/projects/:id/webhooks"],
    list: ["GET", "/v1/projects/:id/webhooks"],
    change: ["PATCH", "/v1/webhooks/:id"],
    remove: ["DELETE", "/v1/webhooks/:id"],
    rotateSecret: ["POST", "/v1/webhooks/:id/rotate-secret"],
    deliveries: ["GET", "/v1/webhooks/:id/deliveries"],
    ping: ["POST", "/v1/webhooks/:id/ping"],
    redeliver: ["POST", "/v1/webhook-deliveries/:id/redeliver"]
  },
  account: {
    me: ["GET", "/v1/me"],
    capabilities: ["GET", "/v1/me/capabilities"],
    tokens: ["GET", "/v1/tokens"],
    issueToken: ["POST", "/v1/tokens"],
    revokeToken: ["DELETE", "/v1/tokens/:id"]
  },
  inbox: {
    inbox: ["GET", "/v1/inbox"],
    changesOfState: ["GET", "/v1/changes-of-state"]
  },
  signIn: {
    methods: ["GET", "/auth/methods"],
    begin: ["POST", "/v1/session"],
    end: ["DELETE", "/v1/session"],
    oidcStart: ["GET", "/auth/oidc/start"],
    oidcCallback: ["GET", "/auth/oidc/callback"]
  },
  sessions: {
    current: ["GET", "/v1/session"],
    list: ["GET", "/v1/sessions"],
    link: ["POST", "/v1/sessions/link"],
    revoke: ["DELETE", "/v1/sessions/:id"]
  },
  devices: {
    offer: ["POST", "/v1/device"],
    token: ["POST", "/v1/device/token"]
  },
  deviceAnswers: {
    confirm: ["POST", "/v1/device/confirm"]
  },
  organizations: {
    create: ["POST", "/v1/organizations"],
    list: ["GET", "/v1/organizations"],
    members: ["GET", "/v1/organizations/:id/members"],
    putMembers: ["PUT", "/v1/organizations/:id/members"]
  },
  users: {
    create: ["POST", "/v1/users"],
    list: ["GET", "/v1/users"],
    disable: ["DELETE", "/v1/users/:id"],
    tokens: ["GET", "/v1/users/:id/tokens"]
  },
  approvers: {
    enrol: ["POST", "/v1/approvers"],
    list: ["GET", "/v1/approvers"],
    remove: ["DELETE", "/v1/approvers/:id"]
  },
  statements: {
    statement: ["GET", "/v1/projects/:id/versions/:n/statement"],
    statements: ["GET", "/v1/projects/:id/statements"],
    checkpoint: ["GET", "/v1/projects/:id/checkpoint"]
  },
  keys: {
    keys: ["GET", "/v1/keys"]
  },
  system: {
    get: ["GET", "/v1/system"],
    findings: ["GET", "/v1/system/findings"]
  }
} as const
