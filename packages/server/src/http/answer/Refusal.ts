/** Every refusal of the core, and of this package, that the API may answer. Each has its row in `Problems.ts`. */
import type { InsufficientRole, InsufficientScope } from "@pawl/core/access/Access"
import type { BelongsElsewhere, LastOwner } from "@pawl/core/access/Keepers"
import type { MembersChanged } from "@pawl/core/access/Members"
import type { OrganizationLimit } from "@pawl/core/access/Organizations"
import type { DeviceDenied, DevicePending } from "@pawl/core/access/Devices"
import type { CodeRefused, LinkNeedsToken } from "@pawl/core/access/SignInCodes"
import type { ScopeExceedsToken, TokenLimit, Unauthenticated } from "@pawl/core/access/Tokens"
import type { MemberLimit, UserLimit } from "@pawl/core/access/Users"
import type { AppsDisabled, NoSource } from "@pawl/core/app/Apps"
import type { BuildCapReached } from "@pawl/core/bundle/Builds"
import type { AlreadyDecided, NotRequired, SelfApproval } from "@pawl/core/approval/Approvals"
import type { PolicyChanged, PolicyStale } from "@pawl/core/approval/Policies"
import type { ApproverLimit, CredentialTaken, EndorsementRequired, LastEndorser } from "@pawl/core/approval/Approvers"
import type { PasskeyRefused, PasskeyRequired } from "@pawl/core/approval/SignedDecision"
import type { CandidateLimit } from "@pawl/core/candidate/Candidates"
import type { BudgetCannotDecrease } from "@pawl/core/change/Budget"
import type { NotCancellable } from "@pawl/core/change/Cancellation"
import type { ChangeClosed, PlanningMissing } from "@pawl/core/change/Changes"
import type { ChangeSetLimit, RollbackTakesNoChangeSets } from "@pawl/core/changeset/ChangeSets"
import type { PatchMalformed, PatchMisfit } from "@pawl/core/changeset/Patch"
import type { ChecksUsedUp } from "@pawl/core/harness/OutsideChecks"
import type { TaskNotHeld, TaskNotWorkable } from "@pawl/core/changeset/PersonWork"
import type { DeadLetterMissing } from "@pawl/core/work/Commands"
import type { WebhookInactive, WebhookPaused } from "@pawl/core/webhook/Deliveries"
import type { EventsExpired } from "@pawl/core/event/EventLog"
import type { WebhookLimit } from "@pawl/core/webhook/Webhooks"
import type { LeaseLost, LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { LaneOff } from "@pawl/core/lane/LaneEntries"
import type { InvalidField, Unknown } from "@pawl/core/ledger/Refusals"
import type { AppRuntimeUnavailable } from "@pawl/core/app/AppRuntime"
import type { InvalidKey, ObjectStoreUnavailable } from "@pawl/core/objects/ObjectStore"
import type { ProjectArchived } from "@pawl/core/project/ArchivedProject"
import type { PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import type { TemplatesUnavailable } from "@pawl/core/project/Templates"
import type { ImportRefused, ImportUnavailable } from "@pawl/core/project/SourceImport"
import type { HasSource, SlugTaken } from "@pawl/core/project/Projects"
import type {
  InvalidPath,
  ObjectNotFound,
  RepositoriesUnavailable,
  TreeTooLarge
} from "@pawl/core/project/Repositories"
import type { AnotherPromoting, Blocked, Stale } from "@pawl/core/promotion/Promotions"
import type { NoCheckpoint, NoStatement, StatementUnsigned } from "@pawl/core/provenance/StatedHistory"
import type { NoSbom } from "@pawl/core/app/KeptSbom"
import type { FixturesDisabled, NoDeployedRelease } from "@pawl/core/release/Injection"
import type { SignerUnavailable } from "@pawl/core/provenance/Signer"
import type { RouteReaderUnavailable } from "@pawl/core/release/RouteReader"
import type { RollbackStale } from "@pawl/core/candidate/RollbackPlan"
import type { NotRetryable, ReadOnlyTask, TaskClosed } from "@pawl/core/task/Interventions"
import type { RunNotHeld } from "@pawl/core/task/OutsideLeases"
import type { NotClaimable, NothingPushed } from "@pawl/core/task/OutsideRuns"
import type { NoteLimit } from "@pawl/core/task/Notes"
import type { NoSignInLink, ProviderUnavailable, SignInRefused } from "../IdentityProvider.ts"
import type { CrossSite, InsecureOrigin, SignInElsewhere } from "../request/SessionCookie.ts"
import type { BeyondTask } from "../request/TaskReach.ts"
import type { DiffTooLarge, NotComposed } from "../groups/CandidateDiff.ts"

/** Every refusal that a handler may end with. A handler that could end with another one does not compile. */
export type Refusal =
  | AlreadyDecided
  | AnotherPromoting
  | ApproverLimit
  | AppsDisabled
  | BelongsElsewhere
  | BeyondTask
  | Blocked
  | BudgetCannotDecrease
  | BuildCapReached
  | CandidateLimit
  | ChangeSetLimit
  | ChangeClosed
  | CodeRefused
  | CrossSite
  | DeviceDenied
  | DevicePending
  | InsecureOrigin
  | ProviderUnavailable
  | SignInElsewhere
  | SignInRefused
  | CredentialTaken
  | DeadLetterMissing
  | DiffTooLarge
  | EndorsementRequired
  | EventsExpired
  | FixturesDisabled
  | HasSource
  | ImportRefused
  | ImportUnavailable
  | InsufficientRole
  | InsufficientScope
  | InvalidField
  | InvalidKey
  | InvalidPath
  | LaneOff
  | LastEndorser
  | LastOwner
  | LeaseLost
  | LinkNeedsToken
  | LedgerUnavailable
  | MemberLimit
  | MembersChanged
  | NoDeployedRelease
  | NoCheckpoint
  | NoSbom
  | NoSignInLink
  | NoStatement
  | StatementUnsigned
  | NoSource
  | NotCancellable
  | NotClaimable
  | NotComposed
  | NoteLimit
  | NothingPushed
  | NotRequired
  | NotRetryable
  | ObjectNotFound
  | AppRuntimeUnavailable
  | ObjectStoreUnavailable
  | PackagesUnavailable
  | TemplatesUnavailable
  | OrganizationLimit
  | PasskeyRefused
  | PasskeyRequired
  | PatchMalformed
  | PatchMisfit
  | PolicyChanged
  | PolicyStale
  | PlanningMissing
  | ProjectArchived
  | ReadOnlyTask
  | RepositoriesUnavailable
  | RollbackStale
  | ChecksUsedUp
  | RollbackTakesNoChangeSets
  | RouteReaderUnavailable
  | ScopeExceedsToken
  | RunNotHeld
  | SelfApproval
  | SignerUnavailable
  | SlugTaken
  | Stale
  | TaskClosed
  | TaskNotHeld
  | TaskNotWorkable
  | TokenLimit
  | TreeTooLarge
  | Unauthenticated
  | Unknown
  | UserLimit
  | WebhookInactive
  | WebhookPaused
  | WebhookLimit
