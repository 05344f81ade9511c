/** Every screen of the console as a contact sheet shows it. */

/** Ids that addresses need, of what `Shop.ts` made. */
export interface Shop {
  /** A Change that is verified and owes an approval. */
  readonly waiting: string
  /** One that a check refused. */
  readonly rejected: string
  /** One that stands in canonical. */
  readonly promoted: string
  /** One whose agents' budget is spent. */
  readonly stopped: string
  /** One that nothing was sent to. */
  readonly open: string
  /** One with a ChangeSet, of which no Candidate is made. */
  readonly sent: string
  readonly organization: string
  readonly webhook: string
}

/** One picture: its name, and where it is taken. */
export interface Shot {
  readonly name: string
  readonly path: string
}

const ofChange = ["", "diff", "evidence", "preview", "work", "history"] as const

/** All of them, in the order of the sheet. `ScreensSheet.test.ts` holds that no route of the console is missing. */
export const shotsOf = (shop: Shop): ReadonlyArray<Shot> => [
  { name: "inbox", path: "/" },
  { name: "projects", path: "/projects" },
  { name: "overview", path: "/p/shop" },
  { name: "changes", path: "/p/shop/changes" },
  ...ofChange.map((tab) => ({
    name: `change-${tab === "" ? "summary" : tab}`,
    path: `/changes/${shop.waiting}${tab === "" ? "" : `/${tab}`}`
  })),
  { name: "change-rejected", path: `/changes/${shop.rejected}` },
  { name: "change-rejected-evidence", path: `/changes/${shop.rejected}/evidence` },
  { name: "change-promoted", path: `/changes/${shop.promoted}` },
  { name: "change-budget-spent", path: `/changes/${shop.stopped}/work` },
  { name: "change-open", path: `/changes/${shop.open}` },
  { name: "change-sent-diff", path: `/changes/${shop.sent}/diff` },
  { name: "lane", path: "/p/shop/lane" },
  { name: "generations", path: "/p/shop/generations" },
  { name: "generation", path: "/p/shop/generations/1" },
  { name: "compare", path: "/p/shop/generations/compare?from=0&to=1" },
  { name: "rollback", path: "/p/shop/rollback?to=0" },
  { name: "logs", path: "/p/shop/logs" },
  { name: "dead-letters", path: "/p/shop/dead-letters" },
  { name: "code", path: "/p/shop/code" },
  { name: "code-file", path: "/p/shop/code?path=src/index.js" },
  { name: "policy", path: "/p/shop/settings" },
  { name: "members", path: "/p/shop/settings/members" },
  { name: "webhooks", path: "/p/shop/settings/webhooks" },
  { name: "webhook", path: `/p/shop/settings/webhooks/${shop.webhook}` },
  { name: "app", path: "/p/shop/settings/app" },
  { name: "account", path: "/settings" },
  { name: "passkeys", path: "/settings/passkeys" },
  { name: "device", path: "/device" },
  { name: "organization", path: `/org/${shop.organization}` },
  { name: "system", path: "/system" },
  { name: "nowhere", path: "/nowhere" }
]
