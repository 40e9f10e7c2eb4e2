// SPDX-License-Identifier: GPL-2.0-only
// Which overloads of a cluster that serves are told, and of which queue.
#include "tests/support/serve-yaml.h"
#include "tests/support/small-cluster.h"

#include <catch2/catch.hpp>

#include <string>

using namespace nadi;

TEST_CASE("Serving: too many requests are told", "[component][serving]")
{
    const std::string serve = R"(
    requests: {rate: 20000 /s, count: 500, input: 256, output: 2}
    batching: {max-requests: 1}
    instances: [{tp: 1}]
)";
    const std::string begin = "more requests came than the instances can serve";
    for (const std::string count : {"500", "512", "1024"})
    {
        CAPTURE(count);
        CHECK(HasWarning(ServeYaml({WithServe(serve), {"workload.serve.requests.count=" + count}}),
                         begin));
    }
    CHECK(
        !HasWarning(ServeYaml({WithServe(serve), {"workload.serve.requests.rate=100 /s"}}), begin));
    // Users who wait for answers come all at once, and never faster than they are served.
    const std::string users = R"(
    requests: {arrivals: closed, users: 500, count: 500, input: 256, output: 2}
    instances: [{tp: 1}]
)";
    CHECK(!HasWarning(ServeYaml({WithServe(users)}), begin));
}

TEST_CASE("Serving: more prompts than decode instances can go on with are told",
          "[component][serving]")
{
    // One request at a time: a prompt takes less than 0.1 ms on four ranks, and twenty tokens on
    // one take 1.9 ms, which is the time to read the weights as often.
    const auto serve = [](const std::string& rate, const std::string& when)
    {
        return ServeYaml({WithServe(R"(
    requests: {arrivals: constant, count: 128, input: 64, output: 20, rate: )" +
                                    rate + R"(}
    batching: {max-requests: 1}
    kv-transfer: {when: )" + when + R"(}
    instances: [{role: prefill, tp: 4}, {role: decode, tp: 1}]
)")});
    };
    const std::string ofDecode = "more prompts were computed than the decode instances can go on";
    const std::string ofRequests = "more requests came than the instances can serve";
    const ServedRun run = serve("1000 /s", "end");
    CHECK(HasWarning(run, ofDecode));
    CHECK(!HasWarning(run, ofRequests));
    CHECK(!HasWarning(serve("100 /s", "end"), ofDecode));
    // Here prompts wait for room at the decode instance before they begin.
    const ServedRun layerwise = serve("1000 /s", "layer");
    CHECK(HasWarning(layerwise, ofRequests));
    CHECK(!HasWarning(layerwise, ofDecode));
}
