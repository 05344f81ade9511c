import * as MemoryNotices from "@pawl/adapters-memory/MemoryNotices"
import { noticesContract } from "@pawl/testing/contracts/stores/NoticesContract"

noticesContract("memory", { join: MemoryNotices.make() })
