import { type ObjectsChoice, objectsOf, type ReadObjectOptions } from "@pawl/server/node/ObjectOptions"
import { Option, Redacted } from "effect"
import { describe, expect, it } from "vitest"

interface Given {
  readonly objects?: string
  readonly endpoint?: string
  readonly region?: string
  readonly pathStyle?: boolean
}

const of = (given: Given, environment: Readonly<Record<string, string>> = {}) => {
  const read: ReadObjectOptions = {
    objects: given.objects ?? "folder",
    s3Endpoint: Option.fromUndefinedOr(given.endpoint),
    s3Region: Option.fromUndefinedOr(given.region),
    s3PathStyle: Option.fromUndefinedOr(given.pathStyle)
  }
  return objectsOf(read, environment)
}

const bucket = (choice: ObjectsChoice | string) => {
  if (typeof choice === "string" || choice._tag === "Folder") throw new Error(`no bucket: ${JSON.stringify(choice)}`)
  return choice
}

describe("The options of objects", () => {
  it("are a folder where nothing is said", () => {
    expect(of({}, { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "half" })).toEqual({ _tag: "Folder" })
  })

  it("are a bucket of AWS, with its name in the host, or of another server, with its name in the path", () => {
    expect(of({ objects: "s3://my-bucket" })).toEqual({
      _tag: "Bucket",
      bucket: "my-bucket",
      root: "",
      endpoint: null,
      region: "us-east-1",
      pathStyle: false,
      credentials: null
    })
    const other = { objects: "s3://my.bucket/deep/ü x/", endpoint: "http://10.0.0.1:7480/", region: "local" }
    expect(of(other)).toMatchObject({
      bucket: "my.bucket",
      root: "deep/ü x/",
      endpoint: "http://10.0.0.1:7480",
      region: "local",
      pathStyle: true
    })
    expect(of({ ...other, pathStyle: false })).toMatchObject({ pathStyle: false })
  })

  it("take region and credentials by the names that AWS's tools know", () => {
    const environment = {
      AWS_DEFAULT_REGION: "eu-north-1",
      AWS_ACCESS_KEY_ID: "id",
      AWS_SECRET_ACCESS_KEY: "secret-key\n",
      AWS_SESSION_TOKEN: "token"
    }
    const { credentials, region } = bucket(of({ objects: "s3://bucket" }, environment))
    expect(region).toBe("eu-north-1")
    expect(Redacted.value(credentials!.secretAccessKey)).toBe("secret-key")
    expect(Redacted.value(credentials!.sessionToken!)).toBe("token")
    expect(JSON.stringify(credentials)).not.toContain("secret-key")
    expect(of({ objects: "s3://bucket" }, { ...environment, AWS_REGION: "eu-west-1" })).toMatchObject({
      region: "eu-west-1"
    })
  })

  it.each([
    ["buckets", "use s3://bucket or s3://bucket/prefix, or folder"],
    ["s3://", "use s3://bucket or s3://bucket/prefix, or folder"],
    ["S3://bucket", "use s3://bucket or s3://bucket/prefix, or folder"],
    ["s3://Bucket", "the name of a bucket has 3 to 63 lowercase letters, digits, dots and hyphens, or folder"],
    ["s3://ab", "the name of a bucket has 3 to 63 lowercase letters, digits, dots and hyphens, or folder"],
    ["s3://a..b", "the name of a bucket has 3 to 63 lowercase letters, digits, dots and hyphens, or folder"],
    ["s3://bucket/a//b", "its prefix cannot be used: it has an empty segment, or folder"],
    ["s3://bucket/../b", "its prefix cannot be used: it has the segment .., or folder"],
    [`s3://bucket/${"p".repeat(129)}`, "its prefix is longer than 128 bytes, or folder"]
  ])("are refused with what they take: %s", (objects, words) => {
    expect(of({ objects })).toBe(`objects (PAWL_OBJECTS): ${words}`)
  })

  it("tell all that is wrong at once, and repeat no secret", () => {
    const given = { objects: "s3://Bucket", endpoint: "https://me:hunter2@s3.example", region: "over there" }
    const told = of(given, { AWS_SECRET_ACCESS_KEY: "hunter3" })
    expect(told).toBe(
      [
        "objects (PAWL_OBJECTS): the name of a bucket has 3 to 63 lowercase letters, digits, dots and hyphens, or folder",
        "s3Endpoint (PAWL_S3_ENDPOINT): use a URL without a user name, a path and a query: http://host:port or https://host",
        "s3Region (PAWL_S3_REGION): use a region's name, such as eu-central-1",
        "AWS_ACCESS_KEY_ID: set it with AWS_SECRET_ACCESS_KEY, or neither"
      ].join("; ")
    )
  })

  it("are refused where they would do nothing: a bucket that nobody named", () => {
    expect(of({ endpoint: "http://127.0.0.1:7480", pathStyle: true })).toBe(
      "s3Endpoint (PAWL_S3_ENDPOINT), s3PathStyle (PAWL_S3_PATH_STYLE): set objects (PAWL_OBJECTS) to s3://bucket/prefix too, or leave it out"
    )
  })
})
