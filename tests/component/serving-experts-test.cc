// SPDX-License-Identifier: GPL-2.0-only
// Which experts the passes of several groups of replicas reach.
#include "tests/support/scratch-directory.h"
#include "tests/support/serve-yaml.h"
#include "tests/support/small-cluster.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

std::vector<uint64_t>
TokensOfRanks(const ServedRun& run)
{
    std::vector<uint64_t> tokens;
    for (const ExpertTokens& row : run.results.serving->experts.ByRank())
    {
        tokens.push_back(row.tokens);
    }
    return tokens;
}

} // namespace

TEST_CASE("Serving: each group of replicas begins with the first iteration of a recording",
          "[component][serving]")
{
    const test::ScratchDirectory scratch("serving-groups");
    // Tokens of the first pass go to experts 0 and 1, which lie on the first rank of a group, and
    // those of the second to experts 2 and 3 on the other rank.
    const std::string file = scratch
                                 .Write("recorded.csv",
                                        "iteration,layer,rank,expert,tokens\n"
                                        "0,0,0,0,1\n0,0,0,1,1\n0,0,1,0,1\n0,0,1,1,1\n"
                                        "1,0,0,2,1\n1,0,0,3,1\n1,0,1,2,1\n1,0,1,3,1\n")
                                 .string();
    const auto serve = [&](const std::string& instances)
    {
        return ServeYaml({SMALL_CLUSTER.substr(0, SMALL_CLUSTER.find("    model:")) + R"(
    model: {layers: 1, hidden: 256, heads: 8, experts: 4, top-k: 2, expert-ffn: 64, vocabulary: 0}
    requests: {arrivals: closed, users: 4, count: 4, input: 1, output: 2}
    router: round-robin
    experts: {routing: {trace: )" +
                          file + "}}\n    instances: " + instances + "\n"});
    };
    // Two passes of two tokens with two experts each.
    const std::vector<uint64_t> expected{4, 4, 4, 4};
    CHECK(TokensOfRanks(serve("[{dp: 4, ep: 2}]")) == expected);
    CHECK(TokensOfRanks(serve("[{count: 2, dp: 2, ep: 2}]")) == expected);
}

TEST_CASE("Serving: balanced experts are so for batches of few tokens", "[component][serving]")
{
    // Passes of 8 tokens with 2 of 64 experts, on 8 ranks.
    const ServedRun run = ServeYaml({SMALL_CLUSTER.substr(0, SMALL_CLUSTER.find("    model:")) + R"(
    model: {layers: 2, hidden: 256, heads: 8, experts: 64, top-k: 2, expert-ffn: 64, vocabulary: 0}
    requests: {arrivals: closed, users: 8, count: 8, input: 1, output: 16}
    router: round-robin
    experts: {routing: balanced}
    instances: [{dp: 8, ep: 8}]
)"});
    CHECK(TokensOfRanks(run) == std::vector<uint64_t>(2 * 8, 16 * 8 * 2 / 8));
    CHECK(run.results.serving->experts.SkewOfExperts().largestOverMean == 1);
}
