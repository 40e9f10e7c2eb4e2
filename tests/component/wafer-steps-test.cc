// SPDX-License-Identifier: GPL-2.0-only
// The speedups of whole steps that the paper of FRED reports (Rashidi et al., arXiv 2406.19580),
// from the simulated times of what a step communicates. The speed of the paper's NPUs is not known.
// It is the one unknown: the speedup of C sets it, and that of D has to follow.
#include "tests/support/packet-forms.h"

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr double STEP_TOLERANCE = 0.02;

using Settings = std::vector<std::string>;

/// What a step communicates, on one of the fabrics, in seconds.
struct Exchanged
{
    double mesh = 0;
    double plain = 0;     ///< on the tree
    double computing = 0; ///< on the tree, by switches that compute

    Exchanged operator*(double count) const
    {
        return {count * mesh, count * plain, count * computing};
    }

    Exchanged operator+(const Exchanged& other) const
    {
        return {mesh + other.mesh, plain + other.plain, computing + other.computing};
    }
};

double
SecondsOf(const std::string& system, Settings settings, const std::string& workload)
{
    settings.push_back("workload=" + workload);
    const RunResults results = Simulate(
        std::filesystem::path(SOURCE_DIR) / "configs/systems" / (system + ".yaml"), settings);
    REQUIRE(results.status == RunStatus::Done);
    return static_cast<double>(results.finish.Ps()) * 1e-12;
}

Exchanged
Simulated(const std::string& workload)
{
    // The paper's mesh drives 1500 GB/s out of each NPU, which is all that Themis can reach. So
    // many chunks come nearest.
    const Settings evenlyUsed{"system.chunks=32", "system.chunks-in-flight=4"};
    const Settings bySwitches{"network.in-network=on",
                              "system.collectives={all-reduce: {flat: in-network}}"};
    return {.mesh = SecondsOf("wafer-mesh-5x4", evenlyUsed, workload),
            .plain = SecondsOf("wafer-fred-cd", {}, workload),
            .computing = SecondsOf("wafer-fred-cd", bySwitches, workload)};
}

std::string
AllReduce(const std::string& ranks, const std::string& size)
{
    return "{" + ranks + "collective: {type: all-reduce, size: " + size + "}}";
}

/// (c + m) / (c + k) is the speedup of C, which gives c; D's is (c + m) / (c + e).
double
SpeedupOfD(double speedupOfC, const Exchanged& step)
{
    const double rest = (step.mesh - speedupOfC * step.plain) / (speedupOfC - 1);
    return (rest + step.mesh) / (rest + step.computing);
}

} // namespace

TEST_CASE("Wafer: the step of ResNet-152 gains as published", "[component][wafer]")
{
    // Data-parallel over 20 NPUs: the gradients of 60.2 million parameters in 16 bits.
    const Exchanged step = Simulated(AllReduce("", "120.4 MB"));
    CHECK(SpeedupOfD(1.41, step) == Approx(1.76).epsilon(STEP_TOLERANCE));
}

TEST_CASE("Wafer: the step of Transformer-17B gains as published", "[component][wafer]")
{
    // 78 layers of hidden size h = 4256 in two stages, three tensor-parallel ranks, three copies.
    // Each of the 8 micro-batches of 2 x 1024 tokens is 2048 h 2 B = 17.43 MB. It is summed twice a
    // layer forward and twice backward, and goes to the next stage forward and backward. Each rank
    // has 12 h^2 / 3 parameters of a layer, whose gradients of 2 B are summed.
    // Groups are three neighbours in a row or column. So cut, six groups fit the mesh side by side
    // and share no link: rows 0 to 3 from the left, and columns 3 and 4 from the top.
    constexpr int layersOfStage = 39;
    constexpr int microBatches = 8;
    const std::string three = "ranks: 3, ";
    const Exchanged tensor = Simulated(AllReduce(three, "17432576 B"));
    const Exchanged data = Simulated(AllReduce(three, "144908288 B"));
    const Exchanged stage = Simulated("{flows: [{src: 0, dst: 1, size: 17432576 B}]}");
    const Exchanged step = tensor * (4 * layersOfStage * microBatches) + data * layersOfStage +
                           stage * (2 * microBatches);
    CHECK(SpeedupOfD(1.75, step) == Approx(1.87).epsilon(STEP_TOLERANCE));
    INFO(step.mesh << " " << step.plain << " " << step.computing);
    CHECK(step.mesh == Approx(0.0492).epsilon(STEP_TOLERANCE));
    CHECK(step.plain == Approx(0.0123).epsilon(STEP_TOLERANCE));
    CHECK(step.computing == Approx(0.0093).epsilon(STEP_TOLERANCE));
}
