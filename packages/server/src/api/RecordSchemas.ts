/** The records that answers hold, as they are stored, each under its name in the OpenAPI document. */
import { Session } from "@pawl/core/model/SignIn"
import {
  Membership,
  Organization,
  OrganizationMember,
  OrganizationRole,
  Token,
  User
} from "@pawl/core/model/Membership"
import { AppLogLine } from "@pawl/core/app/AppLogs"
import { PointerStatus } from "@pawl/core/model/Pointer"
import { Approval } from "@pawl/core/model/Approval"
import { Approver } from "@pawl/core/model/Approver"
import { Policy } from "@pawl/core/model/Policy"
import { CandidateView } from "@pawl/core/model/Candidate"
import { Change } from "@pawl/core/model/Change"
import { Claim } from "@pawl/core/model/Claim"
import { Review } from "@pawl/core/model/Review"
import { ChangeSet, FileChange } from "@pawl/core/model/ChangeSet"
import { DeadLetter } from "@pawl/core/model/Command"
import { Event } from "@pawl/core/model/Event"
import { Delivery } from "@pawl/core/model/Delivery"
import { WebhookView } from "@pawl/core/model/Webhook"
import { Evidence } from "@pawl/core/model/Evidence"
import { HistoryItem } from "@pawl/core/ledger/History"
import { Project, projectNames } from "@pawl/core/model/Project"
import { withWireNames } from "@pawl/core/primitives/WireNames"
import { ModelCall } from "@pawl/core/model/ModelCall"
import { Generation } from "@pawl/core/model/Generation"
import { Release } from "@pawl/core/model/Release"
import { Note } from "@pawl/core/model/Note"
import { Task, TaskRunView } from "@pawl/core/model/Task"
import { Schema, Struct } from "effect"
import { AnsweredOutsideAgents } from "./OutsideAgentsWords.ts"

/** The document tells of what stands in an answer: where the wire has other names, that is the encoded form. */
const named = <S extends Schema.Top>(identifier: string, schema: S): S["Rebuild"] =>
  schema.ast.encoding === undefined
    ? schema.annotate({ identifier })
    : schema.pipe(Schema.annotateEncoded({ identifier }))

/** The head of a Project's canonical line. */
export const CanonicalRecord = named(
  "Canonical",
  Schema.Struct({ generation: Schema.Finite, commit: Schema.String, tree: Schema.String })
)

const servedApp = Schema.Struct({
  status: PointerStatus,
  url: Schema.String,
  label: Schema.String,
  generation: Schema.NullOr(Schema.Finite),
  commit: Schema.NullOr(Schema.String),
  /** Why it is not live, in words. */
  reason: Schema.NullOr(Schema.String),
  updatedAt: Schema.String
})

/** What a list of Projects tells of each beside its record. */
const projectFacts = {
  /** With `include=head`: the head of its canonical line; null while it has no source. */
  head: Schema.optionalKey(Schema.NullOr(CanonicalRecord)),
  /** With `include=app`: its app without previews; null before the first deploy. */
  app: Schema.optionalKey(Schema.NullOr(servedApp)),
  /** With `include=counts`: its Changes that are not over, and those that wait in its lane. */
  counts: Schema.optionalKey(Schema.Struct({ openChanges: Schema.Finite, laneEntries: Schema.Finite }))
}
/** As `Project` in the core; in lists with what they were asked to include. */
export const ProjectRecord = named(
  "Project",
  Schema.Struct({ ...Project.to.fields, ...projectFacts }).pipe(withWireNames(projectNames))
)
/** A Project as it stands in an answer. */
export type ProjectJson = typeof ProjectRecord.Encoded
/** As `Change` in the core. */
export const ChangeRecord = named("Change", Change)
/** A Change as it stands in an answer. */
export type ChangeJson = typeof ChangeRecord.Encoded
/** As `Task` in the core. */
export const TaskRecord = named("Task", Task)
/** As `ModelCall` in the core. */
export const ModelCallRecord = named("ModelCall", ModelCall)
/** As `Claim` in the core. */
export const ClaimRecord = named("Claim", Claim)
/** As `Review` in the core. */
export const ReviewRecord = named("Review", Review)
/** As `TaskRun` in the core, without what stands for its token. */
export const TaskRunRecord = named("TaskRun", TaskRunView)
/** As `Note` in the core. */
export const NoteRecord = named("Note", Note)
/** As `ChangeSet` in the core. */
export const ChangeSetRecord = named("ChangeSet", ChangeSet)
/** As `Candidate` in the core, without `rejection`: that code is for programs inside, and `reason` says it in words. */
export const CandidateRecord = named("Candidate", CandidateView)
/** A Candidate as it stands in an answer. */
export type CandidateJson = typeof CandidateRecord.Encoded
/** As `Approval` in the core. */
export const ApprovalRecord = named("Approval", Approval)
/** As `Approver` in the core. */
export const ApproverRecord = named("Approver", Approver)
/** As `Policy` in the core, with the wire's words for `outsideAgents`. */
export const PolicyRecord = named("Policy", Schema.Struct({ ...Policy.fields, outsideAgents: AnsweredOutsideAgents }))
/** As `Release` in the core. */
export const ReleaseRecord = named("Release", Release)
/** As `DeadLetter` in the core. */
export const DeadLetterRecord = named("DeadLetter", DeadLetter)
/** As `Event` in the core. */
export const EventRecord = named("Event", Event)
/** As `HistoryItem` in the core. */
export const HistoryRecord = named("HistoryItem", HistoryItem)
/** As `AppLogLine` in the core. */
export const AppLogLineRecord = named("AppLogLine", AppLogLine)
/** As `WebhookView` in the core: never with its secret. */
export const WebhookRecord = named("Webhook", WebhookView)
/** As `Delivery` in the core. */
export const WebhookDeliveryRecord = named("WebhookDelivery", Delivery)
const person = User.mapFields(Struct.pick(["id", "name", "createdAt", "disabledAt"]))
/** A user, without whom or what they count for. */
export const UserRecord = named("User", person)
/** A user of an organization, with their role in it. */
export const PersonRecord = named("Person", Schema.Struct({ ...person.fields, role: OrganizationRole }))
/** An organization of the caller's, with the caller's role in it. */
export const OrganizationRecord = named(
  "Organization",
  Schema.Struct({ ...Organization.mapFields(Struct.omit(["sponsor"])).fields, role: OrganizationRole })
)
/** A place in an organization, with the name of who holds it. */
export const OrganizationMemberRecord = named(
  "OrganizationMember",
  Schema.Struct({ ...OrganizationMember.mapFields(Struct.omit(["stay"])).fields, name: Schema.String })
)
const entry = Membership.mapFields(Struct.omit(["stay"]))
/** A role on a Project. */
export const EntryRecord = named("Membership", entry)
/** A role on a Project, with the name of who holds it. */
export const MemberRecord = named("Member", Schema.Struct({ ...entry.fields, name: Schema.String }))
/** A token, never with its hash. */
export const TokenRecord = named("Token", Token.mapFields(Struct.omit(["hash"])))

/** Without what its cookie is compared with. */
export const SessionRecord = named("Session", Session.mapFields(Struct.omit(["hash"])))

/** A generation, where its version can be opened, and what its Change was for. */
export const VersionRecord = named(
  "Version",
  Schema.Struct({
    ...Generation.fields,
    /** Null when no app served it. */
    url: Schema.NullOr(Schema.String),
    /** The first words of its Change's goal; not there for S0. */
    title: Schema.optionalKey(Schema.String),
    /** Of a rollback: the generation whose tree it brought back, and why, in the words of who asked. */
    rollbackTarget: Schema.optionalKey(Schema.Finite),
    rollbackReason: Schema.optionalKey(Schema.String)
  })
)

/** As `Evidence` in the core, without `gap`, which is for programs inside. */
export const EvidenceRecord = named(
  "Evidence",
  Schema.Struct({
    ...Evidence.mapFields(Struct.omit(["gap"])).fields,
    /** With `output=true`: the first 64 KiB of what the check said. */
    output: Schema.optionalKey(Schema.String),
    outputTruncated: Schema.optionalKey(Schema.Boolean)
  })
)

const FileDiffRecord = named("FileDiff", Schema.Struct({ ...FileChange.fields, patch: Schema.String }))
const PackageChangeRecord = named(
  "PackageChange",
  Schema.Struct({
    name: Schema.String,
    /** Null for a package, or one more version of it, that is added. */
    from: Schema.NullOr(Schema.String),
    /** Null for one that is removed. The same as `from` where only its content is another. */
    to: Schema.NullOr(Schema.String),
    /** Whole days since the registry got `to`; not there when it did not say so in time. */
    ageDays: Schema.optionalKey(Schema.Finite),
    /** Whether it asks for scripts when it is installed; null when neither its lock nor, in time, the registry said so. None is ever run. */
    scripts: Schema.NullOr(Schema.Boolean),
    /** Only needed while the project is built and checked. */
    dev: Schema.Boolean,
    /** What the registry knows against `to`, `[]` for nothing; null when it did not say in time. Not there without `to`. */
    advisories: Schema.optionalKey(
      Schema.NullOr(
        Schema.Array(
          Schema.Struct({ id: Schema.String, title: Schema.String, severity: Schema.String, url: Schema.String })
        )
      )
    )
  })
)
/** A diff, file by file. */
export const DiffAnswer = named(
  "Diff",
  Schema.Struct({
    files: Schema.Array(FileDiffRecord),
    /** Of a Candidate: what its lock files add, remove or move. */
    packages: Schema.optionalKey(Schema.Array(PackageChangeRecord))
  })
)

/** A Candidate's preview: where it can be opened, and until when. */
export const PreviewRecord = named(
  "Preview",
  Schema.Struct({
    url: Schema.String,
    status: PointerStatus,
    previewId: Schema.String,
    candidateId: Schema.NullOr(Schema.String),
    changeId: Schema.NullOr(Schema.String),
    commit: Schema.NullOr(Schema.String),
    generation: Schema.NullOr(Schema.Finite),
    /** Changes whose work it shows too, and that have not landed: as of its Candidate. Not there for none. */
    on: Schema.optionalKey(Schema.Array(Schema.String)),
    updatedAt: Schema.String,
    expiresAt: Schema.String
  })
)

/** What a Project's app host serves, and where it is. */
export const AppRecord = named("App", Schema.Struct({ ...servedApp.fields, previews: Schema.Array(PreviewRecord) }))
