/** The rights of the routers of an installation: a user of Postgres and credentials of S3 that reach what serving takes. */
import * as PostgresServer from "../../../../adapters-pg/test/PostgresServer.ts"
import { allow } from "../../../../adapters-s3/test/Buckets.ts"
import { policyFor } from "../../../../adapters-s3/test/RouterPolicy.ts"
import type * as S3Server from "../../../../adapters-s3/test/S3Server.ts"
import { pawl } from "../../e2e/kit/Command.ts"
import { temporaryFolder } from "../../e2e/kit/ServerProcess.ts"

const user = "pawl_router"
const password = "routes"

/** Brings the database to shape, makes the user and the credentials, and answers what is set for a router of them. */
export const make = async (
  databaseUrl: string,
  s3: S3Server.S3Server,
  bucket: string
): Promise<ReadonlyMap<string, string>> => {
  await PostgresServer.administer(databaseUrl, `CREATE ROLE ${user} LOGIN PASSWORD '${password}'`)
  const folder = temporaryFolder()
  const environment = { PAWL_DATABASE_URL: databaseUrl, PAWL_DATA: folder.path }
  const { code, output } = await pawl(["migrate", "--grant-router", user], environment)
  folder.remove()
  if (code !== 0) throw new Error(output)
  const { accessKeyId, secretAccessKey } = await s3.addUser("router")
  await allow(s3, bucket, "router", policyFor(bucket))
  const own = new URL(databaseUrl)
  own.username = user
  own.password = password
  return new Map([
    ["PAWL_DATABASE_URL", own.toString()],
    ["AWS_ACCESS_KEY_ID", accessKeyId],
    ["AWS_SECRET_ACCESS_KEY", secretAccessKey]
  ])
}
