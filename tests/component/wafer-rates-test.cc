// SPDX-License-Identifier: GPL-2.0-only
// All-reduces on the wafers of configs/systems against the closed forms of their fabrics: what the
// busiest link carries, over its rate (Rashidi et al., "FRED", arXiv 2406.19580).
#include "tests/support/packet-forms.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr double WAFER_TOLERANCE = 0.03;

// Picoseconds for a byte of the buffer.
constexpr double MESH_LINK = 1e12 / 750e9;
constexpr double NPU_LINK = 1e12 / 3e12;

/// What one NPU has of the uplink of its first-level switch, which it shares with three others.
constexpr double
ShareOfUplink(double terabytes)
{
    return 1e12 / (terabytes * 1e12 / 4);
}

RunResults
RunWafer(const std::string& system, const std::vector<std::string>& settings = {})
{
    const RunResults results = Simulate(
        std::filesystem::path(SOURCE_DIR) / "configs/systems" / (system + ".yaml"), settings);
    REQUIRE(results.status == RunStatus::Done);
    return results;
}

double
PicosecondsPerByte(const CollectiveRecord& record)
{
    return static_cast<double>((record.end - record.start).Ps()) /
           static_cast<double>(record.size.Count());
}

/// The variants whose switches reduce and multicast, in slices of four packets.
const std::vector<std::string> BY_SWITCHES{
    "network.in-network=on", "system.collectives={all-reduce: {name: in-network, slice: 16 KB}}"};

/// Of the all-reduce of all 20 NPUs.
double
CostOfWafer(const std::string& system, const std::vector<std::string>& settings = {})
{
    const RunResults results = RunWafer(system, settings);
    REQUIRE(results.collectives.size() == 1);
    return PicosecondsPerByte(results.collectives.front().record);
}

/// Of the slowest of four all-reduces at once, of five NPUs each: the gradients of a layer that is
/// cut in four. Five are neighbours along x in the mesh, and under five switches in the tree.
double
CostOfFives(const std::string& system,
            const std::string& parallelism,
            std::vector<std::string> settings = {})
{
    settings.push_back("workload={generate: {model: mlp, layers: 1, widths: 15480, batch: 20, "
                       "parallelism: " +
                       parallelism + "}}");
    settings.emplace_back("system.compute={model: roofline, peak: 1000 PFLOP/s, memory-bandwidth: "
                          "1000 TB/s}");
    const RunResults results = RunWafer(system, settings);
    double most = 0;
    uint32_t count = 0;
    for (const CollectiveResult& collective : results.collectives)
    {
        if (collective.record.type == CollectiveType::AllReduce)
        {
            CHECK(collective.record.ranks == 5);
            most = std::max(most, PicosecondsPerByte(collective.record));
            ++count;
        }
    }
    CHECK(count == 4);
    return most;
}

} // namespace

TEST_CASE("Wafer: an all-reduce of 20 NPUs costs what the closed forms say", "[component][wafer]")
{
    // Over p members each sends 2 (p-1)/p of what it holds. Half of the chunks go along x first and
    // then along y with a fifth, the others along y first and then along x with a quarter: along x
    // an NPU sends (2 4/5 + (2 4/5) / 4) / 2 = 1.0 of the buffer, more than along y. A ring's
    // members are two links apart in a folded line, so that each link carries what one NPU sends.
    const double alongX = (2 * 4.0 / 5 + 2 * 4.0 / 5 / 4) / 2;
    const double alongY = (2 * 3.0 / 4 + 2 * 3.0 / 4 / 5) / 2;
    REQUIRE(alongX > alongY);
    CHECK(CostOfWafer("wafer-mesh-5x4") == Approx(alongX * MESH_LINK).epsilon(WAFER_TOLERANCE));

    // In a tree: 2 3/4 below the first-level switch and 2 4/5 of a quarter across.
    const double below = 2 * 3.0 / 4;
    const double across = 2 * 4.0 / 5 / 4;
    const double ofNpu = (below + across) * NPU_LINK;
    CHECK(CostOfWafer("wafer-fred-ab") ==
          Approx(std::max(ofNpu, across * ShareOfUplink(1.5))).epsilon(WAFER_TOLERANCE));
    CHECK(CostOfWafer("wafer-fred-cd") ==
          Approx(std::max(ofNpu, across * ShareOfUplink(12))).epsilon(WAFER_TOLERANCE));
}

TEST_CASE("Wafer: a mesh runs as the same stack of dimensions does", "[component][wafer]")
{
    const RunResults mesh = RunWafer("wafer-mesh-5x4");
    const std::string line = "{shape: mesh, bandwidth: 750 GB/s, latency: 4 ns, size: ";
    const RunResults stack = RunWafer("wafer-mesh-5x4",
                                      {"network={dimensions: [" + line + "5}, " + line +
                                       "4}], packet: {payload: 4 KB, header: 6 B}}"});
    CHECK(mesh.digest == stack.digest);
}

TEST_CASE("Wafer: all-reduces of five NPUs each cost 2 4/5 of the buffer over the slowest link",
          "[component][wafer]")
{
    const double sent = 2 * 4.0 / 5;
    CHECK(CostOfFives("wafer-mesh-5x4", "dp-mp") ==
          Approx(sent * MESH_LINK).epsilon(WAFER_TOLERANCE));
    CHECK(CostOfFives("wafer-fred-ab", "mp-dp") ==
          Approx(sent * ShareOfUplink(1.5)).epsilon(WAFER_TOLERANCE));
    CHECK(CostOfFives("wafer-fred-cd", "mp-dp") ==
          Approx(sent * NPU_LINK).epsilon(WAFER_TOLERANCE));
}

TEST_CASE("Wafer: where switches reduce, an NPU sends the buffer of an all-reduce once",
          "[component][wafer]")
{
    // One tree over all 20 NPUs: the buffer leaves each NPU once, and each first-level switch once.
    std::vector<std::string> oneTree = BY_SWITCHES;
    oneTree.emplace_back("system.dimensions=[20]");
    const double ofUplink = ShareOfUplink(1.5) / 4;
    REQUIRE(ofUplink > NPU_LINK);
    CHECK(CostOfWafer("wafer-fred-ab", oneTree) == Approx(ofUplink).epsilon(WAFER_TOLERANCE));
    CHECK(CostOfWafer("wafer-fred-cd", oneTree) == Approx(NPU_LINK).epsilon(WAFER_TOLERANCE));
}

TEST_CASE("Wafer: where switches reduce, all-reduces of five NPUs each cost the buffer once",
          "[component][wafer]")
{
    // Each first-level switch has a member of all four groups, so its uplink carries four buffers.
    CHECK(CostOfFives("wafer-fred-ab", "mp-dp", BY_SWITCHES) ==
          Approx(ShareOfUplink(1.5)).epsilon(WAFER_TOLERANCE));
    CHECK(CostOfFives("wafer-fred-cd", "mp-dp", BY_SWITCHES) ==
          Approx(NPU_LINK).epsilon(WAFER_TOLERANCE));
}
