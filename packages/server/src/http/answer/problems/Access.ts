/** Who asks, what they may, and how many there may be of them. */
import { conflict, problemOf, type Rows } from "./Row.ts"

/** Refusals of callers, roles, organizations, users and tokens. */
export const accessProblems = {
  Unauthenticated: ({ message, reason }) =>
    problemOf(
      401,
      "unauthenticated",
      "Who are you?",
      reason === "missing" ? "Send a token: Authorization: Bearer pawl_…." : message,
      { reason }
    ),
  CrossSite: ({ message }) => problemOf(403, "cross_site", "Another site asked", message),
  SignInElsewhere: ({ message }) => problemOf(403, "cross_site", "Another site asked", message),
  InsecureOrigin: ({ message }) => problemOf(400, "insecure_origin", "No cookie is kept here", message),
  CodeRefused: ({ message, reason }) => problemOf(400, "code_refused", "The code opens nothing", message, { reason }),
  LinkNeedsToken: ({ message }) => problemOf(403, "link_needs_token", "A token makes a link", message),
  NoSignInLink: ({ message }) => conflict("no_sign_in_link", "No link lets anybody in", message),
  SignInRefused: ({ message }) => problemOf(400, "sign_in_refused", "You are not signed in", message),
  DevicePending: ({ message, retryAfterSeconds }) =>
    problemOf(400, "authorization_pending", "Nobody has answered yet", message, { retryAfterSeconds }),
  DeviceDenied: ({ message }) => problemOf(400, "access_denied", "The device was refused", message),
  InsufficientRole: ({ held, message, needed }) =>
    problemOf(403, "insufficient_role", "Your role may not do this", message, { held, needed }),
  InsufficientScope: ({ held, message, needed }) =>
    problemOf(403, "insufficient_scope", "Your token may not do this", message, { held, needed }),
  BeyondTask: ({ changeId, message, projectId, runId, taskId }) =>
    problemOf(403, "beyond_task", "This token is for one Task", message, { taskId, runId, changeId, projectId }),
  ScopeExceedsToken: ({ beyond, endsAt, held, message }) =>
    problemOf(403, "scope_exceeds_token", "A token makes no wider one", message, { held, beyond, endsAt }),
  BelongsElsewhere: ({ message, userId }) =>
    problemOf(403, "belongs_elsewhere", "Not yours alone to end", message, { userId }),
  TokenLimit: ({ max, message }) => conflict("token_limit", "No more tokens", message, { max }),
  LastOwner: ({ message, organizationId, userId }) =>
    conflict("last_owner", "An organization keeps an owner", message, { userId, organizationId }),
  OrganizationLimit: ({ max, message }) => conflict("organization_limit", "No more organizations", message, { max }),
  UserLimit: ({ max, message }) => conflict("user_limit", "No more users", message, { max }),
  EndorsementRequired: ({ challenge, credentials, message, text }) =>
    conflict("endorsement_required", "An owner's passkey must sign this", message, { text, challenge, credentials }),
  CredentialTaken: ({ credential, message }) =>
    conflict("credential_taken", "It was enrolled before", message, { credential }),
  ApproverLimit: ({ max, message }) => conflict("approver_limit", "No more passkeys", message, { max }),
  LastEndorser: ({ credential, message }) =>
    conflict("last_endorser", "An owner keeps a passkey", message, { credential }),
  MembersChanged: ({ message, tag }) =>
    problemOf(412, "precondition_failed", "Somebody else changed it", message, { tag }),
  MemberLimit: ({ max, message }) => conflict("member_limit", "No more members", message, { max })
} satisfies Partial<Rows>
