import { describe } from "vitest";
import { contract } from "./contract.cases.ts";
import { localCluster, memoryCluster } from "./redis/cluster.cases.ts";

describe("one server", () => contract(localCluster));
describe("three servers, whose store is in memory", () => contract(() => memoryCluster(3)));
