// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/dimension-model.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

const Bandwidth LINK = Bandwidth::FromBytesPerSecond(50'000'000'000);
const SimTime LATENCY = SimTime::FromNs(500);
const SimTime ENDPOINT_DELAY = SimTime::FromNs(10);

DimensionModel
ModelOf(const std::string& shape, uint32_t size, const std::string& algorithm)
{
    const std::vector<Dimension> stack = {
        {.shape = shape, .size = size, .bandwidth = LINK, .latency = LATENCY}};
    SystemOptions options;
    options.algorithms[CollectiveType::AllReduce].perDimension = {{algorithm, {}}};
    AlgorithmTable algorithms(options, stack);
    DimensionModels models(stack, ENDPOINT_DELAY, algorithms);
    const CommunicatorDimension whole{.size = size, .stackDimension = 0};
    return models.Make(CollectiveType::AllReduce, {whole}).front();
}

} // namespace

TEST_CASE("DimensionModels: the rate is that of the links which the algorithm drives",
          "[unit][system]")
{
    CHECK(ModelOf("switch", 8, "halving-doubling").rate == LINK);
    CHECK(ModelOf("ring", 8, "ring").rate == LINK);
    CHECK(ModelOf("ring", 8, "bidirectional-ring").rate == LINK * 2);
    CHECK(ModelOf("ring", 2, "bidirectional-ring").rate == LINK); // one link each way
    CHECK(ModelOf("fully-connected", 8, "direct").rate == LINK * 7);
}

TEST_CASE("DimensionModels: a step crosses one link, or two through a switch, and an endpoint",
          "[unit][system]")
{
    CHECK(ModelOf("ring", 8, "ring").stepLatency == LATENCY + ENDPOINT_DELAY);
    CHECK(ModelOf("switch", 8, "ring").stepLatency == LATENCY * 2 + ENDPOINT_DELAY);
}

TEST_CASE("DimensionModels: steps are those of each phase type", "[unit][system]")
{
    const auto stepsOf = [model = ModelOf("ring", 8, "ring")](CollectiveType type)
    { return model.steps.at(static_cast<size_t>(type)); };
    CHECK(stepsOf(CollectiveType::AllReduce) == 2 * 7);
    CHECK(stepsOf(CollectiveType::ReduceScatter) == 7);
}

TEST_CASE("AlgorithmTable: a list that no dimension tells apart runs a ring, all-to-all direct",
          "[unit][system]")
{
    const std::vector<Dimension> stack = {
        {.shape = "switch", .size = 8, .bandwidth = LINK, .latency = LATENCY}};
    SystemOptions options;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        options.algorithms[type].perDimension = {{DefaultAlgorithm(type, "switch"), {}}};
    }
    AlgorithmTable algorithms(options, stack);
    const auto nameOf = [&](CollectiveType type, std::optional<uint32_t> dimension) {
        return algorithms.Find({type, type, dimension}).name;
    };
    CHECK(nameOf(CollectiveType::AllReduce, std::nullopt) == "ring");
    CHECK(nameOf(CollectiveType::AllToAll, std::nullopt) == "direct");
    CHECK(nameOf(CollectiveType::AllReduce, 0) == "halving-doubling");
}
