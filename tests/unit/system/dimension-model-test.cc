// SPDX-License-Identifier: GPL-2.0-only
#include "network/shapes/switch-shape.h"
#include "system/algorithms/slices.h"
#include "system/library/communication-library.h"
#include "system/library/dimension-model.h"
#include "tests/support/endpoint-delay.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

/// A shape that nobody but itself knows.
class TestShape : public SwitchShape
{
  public:
    static constexpr const char* Help = "of a test: a switch with other defaults";

    ShapeDefaults Defaults() const override
    {
        return {.algorithm = "direct", .line = LineOrder::Folded};
    }
};

NADI_REGISTER(Shape, TestShape, "test-shape");

const Bandwidth LINK = Bandwidth::FromBytesPerSecond(50'000'000'000);

/// A full frame of 4096 B and a header of 64 B on such a link.
const SimTime FRAME = Bytes(4160) / LINK;

DimensionModel
ModelOf(const std::string& shape,
        uint32_t size,
        const std::string& algorithm,
        uint32_t sendsInFlight = 64,
        bool isUneven = false)
{
    const std::vector<Dimension> stack = {{.shape = shape,
                                           .size = size,
                                           .bandwidth = LINK,
                                           .latency = LATENCY,
                                           .forwarding = {.payload = Bytes(4096), .time = FRAME}}};
    SystemOptions options;
    options.endpointDelay = ENDPOINT_DELAY;
    options.sendsInFlight = sendsInFlight;
    options.algorithms[CollectiveType::AllReduce].perDimension = {{algorithm, {}}};
    const auto library = InstallLibrary({options, stack});
    const Protocol& protocol = library->PointToPointProtocol();
    AlgorithmTable algorithms(options, stack, protocol);
    DimensionModels models(options, stack, protocol, algorithms);
    Communicator all;
    for (uint32_t rank = 0; rank < size; ++rank)
    {
        all.ranks.push_back(RankId{rank});
    }
    const CommunicatorLayout layout(all, RankGrid({size}));
    return models
        .Make({.type = CollectiveType::AllReduce, .isUneven = isUneven, .layout = layout}, Bytes(0))
        .front();
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

/// A switch passes a slice on when it has all of it, so its bytes take their time up and down.
TEST_CASE("DimensionModels: where switches help, a phase waits for round trips of a whole slice",
          "[unit][system]")
{
    const std::string algorithm = GENERATE("in-network", "nvls");
    const int64_t trips = algorithm == "nvls" ? 2 : 1; // to pull and to push
    const std::vector<Dimension> stack = {
        {.shape = "switch", .size = 4, .bandwidth = LINK, .latency = LATENCY}};
    Topology star;
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        star.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId hub = star.AddVertex(VertexKind::Switch, "hub");
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        star.AddLink(VertexId{npu}, hub, LINK, LATENCY);
    }
    TreeTable trees(star, {});
    SystemOptions options;
    options.endpointDelay = ENDPOINT_DELAY;
    options.algorithms[CollectiveType::AllReduce].perDimension = {{algorithm, {}}};
    const auto library = InstallLibrary({options, stack});
    const Protocol& protocol = library->PointToPointProtocol();
    AlgorithmTable algorithms(options, stack, protocol);
    DimensionModels models(options, stack, protocol, algorithms, &trees);
    Communicator all;
    all.ranks = {RankId{0}, RankId{1}, RankId{2}, RankId{3}};
    const CommunicatorLayout layout(all, RankGrid({4}));
    const auto roundTrip = [&](Bytes size)
    {
        const auto found = models.Make({.type = CollectiveType::AllReduce, .layout = layout}, size);
        return found.front().roundTrips[static_cast<size_t>(CollectiveType::AllReduce)];
    };
    const SimTime empty = LATENCY * 2 + ENDPOINT_DELAY;
    CHECK(roundTrip(Bytes(0)) == empty * trips);
    // The default slice is 64 KiB.
    CHECK(roundTrip(Bytes(1 << 20)) == (empty + Bytes(64 << 10) / LINK * 2) * trips);
    CHECK(roundTrip(Bytes(1 << 10)) == (empty + Bytes(1 << 10) / LINK * 2) * trips);
}

TEST_CASE("DimensionModels: a detour is the latency of the links beyond those between neighbours",
          "[unit][system]")
{
    const auto detourOf = [](const std::string& shape, uint32_t ranks, const std::string& algorithm)
    {
        return ModelOf(shape, ranks, algorithm)
            .detours.at(static_cast<size_t>(CollectiveType::AllReduce));
    };
    CHECK(detourOf("ring", 8, "ring") == SimTime());
    // A folded ring passes over one member in each of its 2 * 7 steps.
    CHECK(detourOf("mesh", 8, "ring") == LATENCY * (2 * 7));
    CHECK(detourOf("mesh", 2, "ring") == SimTime());
    // The farthest of 8 members is 4 links away around a ring, and 7 along a line; two steps.
    CHECK(detourOf("ring", 8, "direct") == LATENCY * (2 * (4 - 1)));
    CHECK(detourOf("mesh", 8, "direct") == LATENCY * (2 * (7 - 1)));
    // Partners are 4, 2 and 1 places away.
    CHECK(detourOf("ring", 8, "halving-doubling") == LATENCY * (2 * (4 + 2 + 1 - 3)));
    // Over 3, 2 and 1 places of 6, or the rest of the line back.
    CHECK(detourOf("ring", 6, "halving-doubling") == LATENCY * (2 * (3 + 2 + 1 - 3)));
    CHECK(detourOf("mesh", 6, "halving-doubling") == LATENCY * (2 * (3 + 4 + 5 - 3)));
    for (const char* shape : {"switch", "fully-connected"})
    {
        CHECK(detourOf(shape, 8, "direct") == SimTime());
        CHECK(detourOf(shape, 6, "halving-doubling") == SimTime());
    }
}

TEST_CASE("DimensionModels: a frame is forwarded at each link after the first", "[unit][system]")
{
    const auto forwardingOf =
        [](const std::string& shape, const std::string& algorithm, uint32_t sendsInFlight = 64)
    {
        return ModelOf(shape, 8, algorithm, sendsInFlight)
            .forwarding.at(static_cast<size_t>(CollectiveType::AllReduce));
    };
    CHECK(forwardingOf("switch", "ring") == FRAME * (2 * 7));
    CHECK(forwardingOf("switch", "halving-doubling") == FRAME * (2 * 3));
    CHECK(forwardingOf("switch", "direct", 1) == FRAME * (2 * 7)); // in 7 rounds
    CHECK(forwardingOf("fully-connected", "direct") == SimTime());
    CHECK(forwardingOf("ring", "ring") == SimTime());
    // Of the 4 links to the farthest of 8 members, and the 2 of a folded ring.
    CHECK(forwardingOf("ring", "direct") == FRAME * (2 * (4 - 1)));
    CHECK(forwardingOf("mesh", "ring") == FRAME * (2 * 7));
    CHECK(ModelOf("switch", 8, "ring").frame == Bytes(4096));
}

TEST_CASE("DimensionModels: more peers than sends in flight take rounds", "[unit][system]")
{
    const auto stepsOf = [](uint32_t ranks, uint32_t sendsInFlight)
    {
        return ModelOf("switch", ranks, "direct", sendsInFlight)
            .steps.at(static_cast<size_t>(CollectiveType::AllToAll));
    };
    CHECK(stepsOf(65, 64) == 1); // 64 peers
    CHECK(stepsOf(66, 64) == 2);
    CHECK(stepsOf(8, 1) == 7);
}

TEST_CASE("DimensionModels: members with different sizes are judged by direct, which runs them",
          "[unit][system]")
{
    const DimensionModel uneven = ModelOf("ring", 8, "bidirectional-ring", 64, true);
    const DimensionModel direct = ModelOf("ring", 8, "direct");
    CHECK(uneven.steps == direct.steps);
    CHECK(uneven.rate == direct.rate);
    CHECK(uneven.timesSent == direct.timesSent);
}

TEST_CASE("AlgorithmTable: a shape says which algorithm it has by default and how a ring visits it",
          "[unit][system]")
{
    const std::vector<Dimension> stack = {
        {.shape = "test-shape", .size = 8, .bandwidth = LINK, .latency = LATENCY}};
    const SystemOptions options;
    const auto library = InstallLibrary({options, stack});
    AlgorithmTable algorithms(options, stack, library->PointToPointProtocol());
    CHECK(algorithms
              .Find({.collective = CollectiveType::AllReduce,
                     .phase = CollectiveType::AllReduce,
                     .stackDimension = 0,
                     .ranks = 8})
              .name == "direct");
    CHECK(algorithms.LineAlong(0) == LineOrder::Folded);
    CHECK(algorithms.LineAlong(std::nullopt) == LineOrder::Cycle);
}

TEST_CASE("AlgorithmTable: a list that no dimension tells apart runs a ring, all-to-all direct",
          "[unit][system]")
{
    const std::vector<Dimension> stack = {
        {.shape = "switch", .size = 8, .bandwidth = LINK, .latency = LATENCY}};
    SystemOptions options;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        options.algorithms[type].perDimension = {DefaultAlgorithm(type, *MakeShape("switch", ""))};
    }
    const auto library = InstallLibrary({options, stack});
    AlgorithmTable algorithms(options, stack, library->PointToPointProtocol());
    const auto nameOf = [&](CollectiveType type, std::optional<uint32_t> dimension)
    {
        return algorithms
            .Find({.collective = type, .phase = type, .stackDimension = dimension, .ranks = 8})
            .name;
    };
    CHECK(nameOf(CollectiveType::AllReduce, std::nullopt) == "ring");
    CHECK(nameOf(CollectiveType::AllToAll, std::nullopt) == "direct");
    CHECK(nameOf(CollectiveType::AllReduce, 0) == "halving-doubling");
}

TEST_CASE("AlgorithmTable: broadcast and reduce go by size, unless the user chose",
          "[unit][system]")
{
    const std::vector<Dimension> stack = {
        {.shape = "switch", .size = 8, .bandwidth = LINK, .latency = LATENCY}};
    SystemOptions options;
    options.endpointDelay = ENDPOINT_DELAY;
    const auto place = GENERATE(std::optional<uint32_t>(0), std::optional<uint32_t>());
    const auto nameFor = [&](CollectiveType type, Bytes size)
    {
        const auto library = InstallLibrary({options, stack});
        AlgorithmTable algorithms(options, stack, library->PointToPointProtocol());
        return algorithms
            .Find({.collective = type,
                   .phase = type,
                   .stackDimension = place,
                   .ranks = 8,
                   .size = size})
            .name;
    };
    // p = 8 has 3 levels: the tree is chosen where (4 * 3 - 5) S / b >= 3 a, and a single step
    // where (2 * 7 - 4) (S + 64 B) / b <= 2 * 2 a. A step crosses two links. S / b is in whole
    // picoseconds, 20 of them a byte.
    const int64_t stepPs = (LATENCY * 2 + ENDPOINT_DELAY).Ps();
    const Bytes header(64);
    const Bytes mostDirect = Bytes(stepPs * 4 / 10 / 20) - header;
    REQUIRE(((mostDirect + header) / LINK).Ps() * 10 <= stepPs * 4);
    REQUIRE(((mostDirect + header + Bytes(1)) / LINK).Ps() * 10 > stepPs * 4);
    const Bytes least((stepPs * 3 / 7 + 19) / 20 + 1);
    const Bytes tooSmall = least - Bytes(2);
    REQUIRE((least / LINK).Ps() * 7 >= stepPs * 3);
    REQUIRE((tooSmall / LINK).Ps() * 7 < stepPs * 3);
    for (const CollectiveType type : {CollectiveType::Broadcast, CollectiveType::Reduce})
    {
        CHECK(nameFor(type, least) == "double-binary-tree");
        CHECK(nameFor(type, tooSmall) == "halving-doubling");
        CHECK(nameFor(type, mostDirect) == "direct");
        CHECK(nameFor(type, mostDirect + Bytes(1)) == "halving-doubling");
        CHECK(nameFor(type, Bytes(0)) == "direct");
    }
    options.algorithms[CollectiveType::Broadcast].perDimension = {{"halving-doubling", {}}};
    options.algorithms[CollectiveType::Broadcast].isFlat = true;
    CHECK(nameFor(CollectiveType::Broadcast, least) == "halving-doubling");
}

TEST_CASE("ChooseBySize: a byte to a thousand ranks is not free on a slow link", "[unit][system]")
{
    const auto choose = [](uint32_t ranks, int64_t gigabits)
    {
        return ChooseBySize({.size = Bytes(1),
                             .ranks = ranks,
                             .rate = Bandwidth::FromBitsPerSecond(gigabits * 1'000'000'000),
                             .stepLatency = SimTime::FromNs(1010)});
    };
    // 65 B take 52 ns at 10 Gb/s: (2 * 1023 - 11) * 52 ns > 2 * 9 * 1010 ns, and 1.3 ns at 400
    // Gb/s.
    CHECK(choose(1024, 10) == "halving-doubling");
    CHECK(choose(1024, 400) == "direct");
    CHECK(choose(64, 10) == "direct");
    CHECK(choose(64, 1) == "halving-doubling");
}

TEST_CASE(
    "ChooseBySize: over links of their own, ranks take one step until half the buffer is long",
    "[unit][system]")
{
    // Of 8 ranks, with 3 levels, half of the buffer has 24 slices of S/48 B. At 50 B/ns and with
    // steps of 1010 ns, S/(4 b) >= 2 (P/b + a) is S/200 >= 2 (S/2400 + 1010), S >= 484 800 B. Of 4
    // ranks, with 2 levels, slices have the least size, 8 KiB: S/200 >= 163.84 + 1010, 234 768 B.
    const auto choose = [](uint32_t ranks, int64_t size)
    {
        return ChooseBySize({.size = Bytes(size),
                             .ranks = ranks,
                             .rate = Bandwidth::FromBytesPerSecond(50'000'000'000),
                             .stepLatency = SimTime::FromNs(1010),
                             .hasOwnLinks = true});
    };
    CHECK(choose(8, 484'000) == "direct");
    CHECK(choose(8, 486'000) == "double-binary-tree");
    CHECK(choose(4, 234'000) == "direct");
    CHECK(choose(4, 235'000) == "double-binary-tree");
    CHECK(choose(2, int64_t{1} << 40) == "direct");
}

TEST_CASE("ChooseBySize: along neighbours, a ring passes on what takes long on the wire",
          "[unit][system]")
{
    const auto choose = [](NeighbourChain chain, uint32_t ranks, int64_t size)
    {
        return ChooseBySize({.size = Bytes(size),
                             .ranks = ranks,
                             .rate = Bandwidth::FromBytesPerSecond(50'000'000'000),
                             .stepLatency = SimTime::FromNs(1000),
                             .chain = chain});
    };
    // Around 16 members, slices of 8 KiB take 163.84 ns: direct 7.5 (S + 64 B)/b + 8000 ns against
    // S/(2 b) + 15 * 1163.84 ns: equal for 7 S/b = 9448 ns, 67 486 B.
    CHECK(choose(NeighbourChain::Ring, 16, 67'000) == "direct");
    CHECK(choose(NeighbourChain::Ring, 16, 68'000) == "bidirectional-ring");
    // Along 16, halving-doubling 4 S/b + 15 000 ns against ring, S/b + 15 * (P/b + 2000 ns) with P
    // = S/32: equal for (3 - 15/32) S/b = 15 000 ns, 296 296 B.
    CHECK(choose(NeighbourChain::Line, 16, 296'000) == "halving-doubling");
    CHECK(choose(NeighbourChain::Line, 16, 297'000) == "ring");
    // 17 members have a tree that is as long as that of 32, so it is direct, 16 (S + 64 B)/b + 16
    // 000 ns, up to where ring is faster, S/b + 16 * 2163.84 ns: equal for 15 S/b = 18 601 ns, 62
    // 003 B.
    CHECK(choose(NeighbourChain::Line, 17, 62'000) == "direct");
    CHECK(choose(NeighbourChain::Line, 17, 62'100) == "ring");
    CHECK(choose(NeighbourChain::Line, 2, int64_t{1} << 40) == "halving-doubling");
}

TEST_CASE("AutomaticSlice: eight for each stage, at most 32, of 8 to 128 KiB", "[unit][system]")
{
    CHECK(AutomaticSlice(Bytes(160'000), 2) == Bytes(10'000));
    CHECK(AutomaticSlice(Bytes(640'000), 63) == Bytes(20'000));
    CHECK(AutomaticSlice(Bytes(1), 63) == Bytes(8192));
    CHECK(AutomaticSlice(Bytes(int64_t{1} << 40), 1) == Bytes(131'072));
}

TEST_CASE("ChooseBySize: two ranks have nothing to pipeline", "[unit][system]")
{
    CHECK(
        ChooseBySize(
            {.size = Bytes(int64_t{1} << 40), .ranks = 2, .rate = LINK, .stepLatency = LATENCY}) ==
        "halving-doubling");
}
