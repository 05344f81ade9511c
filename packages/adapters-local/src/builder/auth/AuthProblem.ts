/** How a build refuses real login, in words. */
import type { BuildProblem } from "@pawl/core/bundle/AppBuilder"
import { type Place, problem } from "../bundler/BundlerProblem.ts"

/** What to do about it: sentences. */
export const instead =
  "Remove it: apps have no real login and collect no credentials. Use the fake identity: a person picks a demo user, " +
  "and the app reads the header x-user-id, else a cookie, else a default user."

/** `named` begins the sentence, `kind` is the group's, such as "a password hashing library". */
export const authPackageProblem = (named: string, kind: string, place: Place): BuildProblem =>
  problem("auth_package", `${named}, ${kind}. ${instead}`, place)
