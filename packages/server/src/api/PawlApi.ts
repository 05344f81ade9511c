/** The whole HTTP contract, version 1. Changes within `/v1` only add. */
import { HttpApi, OpenApi } from "effect/http-api"
import { telling } from "@pawl/core/primitives/ShapeProblems"
import { AccountApi } from "./groups/AccountApi.ts"
import { ApprovalsApi } from "./groups/ApprovalsApi.ts"
import { ApproversApi } from "./groups/ApproversApi.ts"
import { AppsApi } from "./groups/AppsApi.ts"
import { AuditsApi } from "./groups/AuditsApi.ts"
import { CandidatesApi } from "./groups/CandidatesApi.ts"
import { ChangesApi } from "./groups/ChangesApi.ts"
import { ChangeSetsApi } from "./groups/ChangeSetsApi.ts"
import { ClaimsApi } from "./groups/ClaimsApi.ts"
import { DeviceAnswersApi, DevicesApi } from "./groups/DevicesApi.ts"
import { DeadLettersApi } from "./groups/DeadLettersApi.ts"
import { asPromised } from "./Document.ts"
import { EventsApi } from "./groups/EventsApi.ts"
import { InboxApi } from "./groups/InboxApi.ts"
import { FlakesApi } from "./groups/FlakesApi.ts"
import { HistoryApi } from "./groups/HistoryApi.ts"
import { LaneApi } from "./groups/LaneApi.ts"
import { MembersApi } from "./groups/MembersApi.ts"
import { OrganizationsApi } from "./groups/OrganizationsApi.ts"
import { PoliciesApi } from "./groups/PoliciesApi.ts"
import { OutsideApi } from "./groups/OutsideApi.ts"
import { ProjectsApi } from "./groups/ProjectsApi.ts"
import { Refusing } from "./AnyRefusal.ts"
import { ReleasesApi } from "./groups/ReleasesApi.ts"
import { ReviewsApi } from "./groups/ReviewsApi.ts"
import { RollbacksApi } from "./groups/RollbacksApi.ts"
import { ServiceApi } from "./groups/ServiceApi.ts"
import { SessionsApi, SignInApi } from "./groups/SessionsApi.ts"
import { KeysApi, StatementsApi } from "./groups/StatementsApi.ts"
import { SystemApi } from "./groups/SystemApi.ts"
import { TasksApi } from "./groups/TasksApi.ts"
import { UsersApi } from "./groups/UsersApi.ts"
import { WebhooksApi } from "./groups/WebhooksApi.ts"

/** All groups, with their descriptions for the OpenAPI document. */
export const PawlApi = HttpApi.make("pawl")
  .add(ServiceApi)
  .add(ProjectsApi)
  .add(AppsApi)
  .add(ChangesApi)
  .add(TasksApi)
  .add(OutsideApi)
  .add(ChangeSetsApi)
  .add(CandidatesApi)
  .add(ClaimsApi)
  .add(ReviewsApi)
  .add(ApprovalsApi)
  .add(ReleasesApi)
  .add(RollbacksApi)
  .add(AuditsApi)
  .add(FlakesApi)
  .add(LaneApi)
  .add(PoliciesApi)
  .add(MembersApi)
  .add(EventsApi)
  .add(HistoryApi)
  .add(DeadLettersApi)
  .add(WebhooksApi)
  .add(AccountApi)
  .add(InboxApi)
  .add(SignInApi)
  .add(SessionsApi)
  .add(DevicesApi)
  .add(DeviceAnswersApi)
  .add(OrganizationsApi)
  .add(UsersApi)
  .add(ApproversApi)
  .add(StatementsApi)
  .add(KeysApi)
  .add(SystemApi)
  .middleware(Refusing)
  // What is refused is told what was found.
  .annotate(HttpApi.ParseOptions, telling)
  .annotateMerge(
    OpenApi.annotations({
      title: "Pawl",
      version: "1",
      description:
        "Changes to live applications: composed, verified, promoted and released. Every error is a problem (RFC 9457).",
      transform: asPromised
    })
  )
